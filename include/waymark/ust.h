/* SPDX-License-Identifier: MIT */
/*
 * waymark/ust.h - includes LTTng-UST for generated code of the backend ust. Not for hand-written
 * code. Names the missing package in a compile error.
 */
#ifndef WAYMARK_UST_H
#define WAYMARK_UST_H

/* clang-format off */
#if defined(__has_include)
#if !__has_include(<lttng/ust-version.h>)
#error "the backend ust needs LTTng-UST 2.13 or later: install liblttng-ust-dev (Debian, Ubuntu), lttng-ust-devel (Fedora)"
#endif
#endif
#include <lttng/ust-version.h>
#if LTTNG_UST_MAJOR_VERSION < 2 || (LTTNG_UST_MAJOR_VERSION == 2 && LTTNG_UST_MINOR_VERSION < 13)
#error "the backend ust needs LTTng-UST 2.13 or later: the installed liblttng-ust-dev or lttng-ust-devel is older"
#endif
/* clang-format on */

/* The macros of LTTng-UST need extensions of C99. */
#pragma GCC system_header

/* Tracepoints are local to the traced program or library. */
#define LTTNG_UST_TRACEPOINT_HIDDEN_DEFINITION
#define LTTNG_UST_TRACEPOINT_PROVIDER_HIDDEN_DEFINITION

/*
 * Prevents the macros `tracepoint`, `ctf_string` and others, because events may have these names.
 */
#ifndef LTTNG_UST_COMPAT_API_VERSION
#define LTTNG_UST_COMPAT_API_VERSION 1
#endif

#include <string.h>

#include <lttng/tracepoint.h>

#include <waymark/event.h>
#include <waymark/names.h>

/*
 * Returns the length of a string of which printf reads at most `precision` bytes; all if that is
 * negative.
 */
static inline size_t waymark_length_of_part(const char *s, int precision)
{
	return !s ? 0 : precision < 0 ? strlen(s) : strnlen(s, (size_t)precision);
}

/* Checks that `state` is at the offset where LTTng-UST writes it. */
typedef char waymark_tracepoint_is_that_of_lttng_ust
	[offsetof(struct waymark_tracepoint, state) == offsetof(struct lttng_ust_tracepoint, state)
			? 1
			: -1];

#endif
