/* SPDX-License-Identifier: MIT */
/*
 * Limits: how many of an event's calls are recorded. A rule has them before its condition:
 *
 *	sample=1/N by FIELD   all calls with one of N values of the field, or none
 *	every=N               one of N calls of a thread
 *	rate=N/s              N calls of a thread in a second, on average; also /ms, /min, /h
 *	first=N               the first N calls of the process
 *
 * A thread that begins continues where one that has ended stopped, so that many short threads do
 * not avoid a limit.
 *
 * A call passes them in this order, after the condition; rt/site/limit.c counts it if it does not.
 */
#ifndef RT_EVENT_LIMITS_H
#define RT_EVENT_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <waymark/control.h>

/* The limits of a rule. A member of 0 is no limit. */
struct limits {
	uint32_t sample;
	uint32_t every;
	uint64_t interval_ns; /* of the rate, between two calls */
	uint64_t period_ns; /* of the rate; so much of it may come at once */
	uint64_t first;
	const char *field; /* of sample, in `text` */
	size_t field_length;
	char text[]; /* as it was given, with single blanks */
};

/* The longest text of an event's limits. */
#define LIMITS_TEXT_MAX 256u

/*
 * Returns the first limit in a rule's text, after its pattern, which ends before `end`; NULL: it
 * has none. A limit is a word with one of the names above and a `=`.
 */
const char *waymark_limits_find(const char *text, const char *end);

/* Parses limits. Returns NULL, with the reason, if one is wrong or memory ran out. */
struct limits *waymark_limits_new(const char *text, size_t length, struct waymark_error *error);

/*
 * Returns true for the first calls of the process; `passed` counts them. After these, threads only
 * read the count. Any thread, any signal handler.
 */
static inline bool limits_first(const struct limits *l, uint64_t *passed)
{
	return !l->first || (__atomic_load_n(passed, __ATOMIC_RELAXED) < l->first &&
				    __atomic_fetch_add(passed, 1, __ATOMIC_RELAXED) < l->first);
}

/*
 * Returns true if the rate lets a call at `now` pass, and moves `next_ns`, which is when the next
 * call would come at an even rate. The generic cell rate algorithm: a bucket of one period's calls,
 * which fills evenly, as one number.
 */
static inline bool limits_rate(const struct limits *l, uint64_t now, uint64_t *next_ns)
{
	uint64_t next = *next_ns > now ? *next_ns : now;

	if (next - now > l->period_ns - l->interval_ns) {
		return false;
	}
	*next_ns = next + l->interval_ns;
	return true;
}

/* Copies limits; returns NULL if memory ran out. */
struct limits *waymark_limits_copy(const struct limits *l);

#endif
