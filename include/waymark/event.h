/* SPDX-License-Identifier: MIT */
/*
 * waymark/event.h - the states of events, as generated trace headers see them.
 *
 * An event's state is one aligned 32-bit word. The half at the lower address is the mask of
 * backends that are on for the event (enum waymark_backend); the other half counts external tracers
 * that watch its USDT probe, and belongs to the kernel. A call site tests the whole word once;
 * everything else is out of line in the generated trace.c.
 *
 * Compiles as C99 and C++11 with gcc and clang, and includes nothing but the types that events may
 * use.
 */
#ifndef WAYMARK_EVENT_H
#define WAYMARK_EVENT_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define WAYMARK_COLD __attribute__((cold, noinline))
#define WAYMARK_NOINLINE __attribute__((noinline))
#define WAYMARK_HIDDEN __attribute__((visibility("hidden")))

/*
 * The visibility of events: hidden, so that each program and library has its own. With
 * WAYMARK_EXPORT_EVENTS plug-ins see those of their program, which is linked with -rdynamic.
 */
#ifdef WAYMARK_EXPORT_EVENTS
#define WAYMARK_LOCAL __attribute__((visibility("default")))
#else
#define WAYMARK_LOCAL WAYMARK_HIDDEN
#endif

#define WAYMARK_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define WAYMARK_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define WAYMARK_LIKELY(x) __builtin_expect(!!(x), 1)

/*
 * The whole state word: not zero if any backend or external tracer is on. The load is relaxed: a
 * thread sees a change at its next event, and nothing is ordered by it.
 */
#define WAYMARK_STATE(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)

/*
 * The half of the word with the backends: zero while only external tracers watch. The acquire pairs
 * with the release that switches an event on, so that a thread that sees a backend on also sees the
 * event's id.
 */
#define WAYMARK_BACKENDS(word) (0u + __atomic_load_n(WAYMARK_HALF(word), __ATOMIC_ACQUIRE))

/* Each language's own cast, so that neither warns. */
#ifdef __cplusplus
#define WAYMARK_HALF(word) static_cast<const waymark_half *>(static_cast<const void *>(&(word)))
#else
#define WAYMARK_HALF(word) ((const waymark_half *)(const void *)&(word))
#endif

/*
 * A tracepoint of LTTng-UST, as its ABI has it. `state` is not 0 while a session records the event.
 * waymark/ust.h checks it against the original.
 */
struct waymark_tracepoint {
	uint32_t struct_size;
	const char *provider_name;
	const char *event_name;
	int state;
	void *probes;
	int *provider_ref;
	const char *signature;
};

/* The tracepoint's state, loaded as WAYMARK_STATE() loads an event's. */
#ifdef __cplusplus
#define WAYMARK_TRACED(tracepoint) static_cast<uint32_t>(WAYMARK_STATE((tracepoint).state))
#else
#define WAYMARK_TRACED(tracepoint) ((uint32_t)WAYMARK_STATE((tracepoint).state))
#endif

/* Body of a trace call that is compiled out. */
static inline void waymark_nothing(void)
{
}

/* The tracepoint of an event in the linked program, under a name of Waymark's. */
#define WAYMARK_TRACEPOINT(provider, event)                                         \
	WAYMARK_LOCAL extern struct waymark_tracepoint waymark_ust_##event __asm__( \
		"lttng_ust_tracepoint_" #provider "___" #event)

/*
 * The type of half a state word. It may alias, because code reads the halves as well as the whole
 * word.
 */
typedef uint16_t __attribute__((may_alias)) waymark_half;

#endif
