/* SPDX-License-Identifier: MIT */
/*
 * OpenHarmony's HiTraceMeter, which records scopes: libhitrace_meter.so and its four functions. It
 * is loaded at run time, because other systems do not have it, and never by an event, because the
 * dynamic linker takes locks and allocates.
 *
 *	hitrace.c       calls the library at each begin and end of a scope
 *	hitrace_load.c  loads the library; in libwaymark.so only: in a statically linked program
 *			the linker would warn about dlopen()
 *
 * Source of names, arguments and the tag: StratoVirt's use of the library, and the documentation of
 * HiTraceMeter.
 */
#ifndef RT_TEXT_HITRACE_H
#define RT_TEXT_HITRACE_H

#include <stdint.h>

/* The tag of virtual machines, HITRACE_TAG_VIRSE. */
#define HITRACE_TAG (UINT64_C(1) << 11)

/* The most bytes of a text that the library accepts. */
#define HITRACE_TEXT_MAX 512

struct hitrace {
	void (*start)(uint64_t tag, const char *text); /* StartTraceWrapper */
	void (*finish)(uint64_t tag); /* FinishTrace */
	void (*start_async)(uint64_t tag, const char *text, int32_t id);
	void (*finish_async)(uint64_t tag, const char *text, int32_t id);
};

/* The end of every message about the library. */
#define HITRACE_IN_VAIN "; the backend hitrace does nothing"

/* Opens the library, once. Returns NULL, after reporting the reason, if that fails. */
const struct hitrace *waymark_hitrace_open(void);

#endif
