/* SPDX-License-Identifier: MIT */
/*
 * waymark/ust.h - what generated code of the backend ust sees of LTTng-UST. Not
 * for hand-written code. It says which package is missing where that is so.
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
#error "the backend ust needs LTTng-UST 2.13 or later: what is installed as liblttng-ust-dev or lttng-ust-devel is older"
#endif
/* clang-format on */

/* Its macros are not for C99 without extensions. */
#pragma GCC system_header

/* Tracepoints stay inside of the program or library that is traced. */
#define LTTNG_UST_TRACEPOINT_HIDDEN_DEFINITION
#define LTTNG_UST_TRACEPOINT_PROVIDER_HIDDEN_DEFINITION

/* Without the macros `tracepoint`, `ctf_string` and such: events may have these names. */
#ifndef LTTNG_UST_COMPAT_API_VERSION
#define LTTNG_UST_COMPAT_API_VERSION 1
#endif

#include <string.h>

#include <lttng/tracepoint.h>

#include <waymark/event.h>
#include <waymark/names.h>

/* How long a string is of which printf reads no more than `precision` bytes; negative: all. */
static inline size_t waymark_length_of_part(const char *s, int precision)
{
	return !s ? 0 : precision < 0 ? strlen(s) : strnlen(s, (size_t)precision);
}

/* A call site reads `state` where LTTng-UST writes it. */
typedef char waymark_tracepoint_is_that_of_lttng_ust
	[offsetof(struct waymark_tracepoint, state) == offsetof(struct lttng_ust_tracepoint, state)
			? 1
			: -1];

#endif
