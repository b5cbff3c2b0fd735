/* SPDX-License-Identifier: MIT */
/*
 * How often each event happened in slices of equal time: at most SLICES_MAX, at least half as many
 * unless the trace is shorter than that many microseconds. The slices show whether events come
 * evenly or in bursts. One thread.
 */
#ifndef ANALYSE_SLICES_H
#define ANALYSE_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/vec.h"
#include "read/record.h"

#define SLICES_MAX 32

struct slices_class {
	const struct event_class *class; /* NULL: no event of it was seen */
	uint64_t counts[SLICES_MAX];
};

/* Empty when zeroed. */
struct slices {
	VEC(struct slices_class) classes; /* by class index */
	uint64_t first_ns;
	uint64_t last_ns;
	bool has_time;
	unsigned int shift; /* a slice takes 2^shift ns */
	uint64_t events; /* number of all events */
};

void slices_fini(struct slices *s);

/* Makes room for a time. */
void slices_reach(struct slices *s, uint64_t ns);

/* Makes room for a class. */
void slices_examine(struct slices *s, const struct event_class *class);

/* Notes the time of a record, in the order of time: the slices are of all time up to the last. */
static inline void slices_see(struct slices *s, uint64_t ns)
{
	if (UNLIKELY(!s->has_time || (ns - s->first_ns) >> s->shift >= SLICES_MAX)) {
		slices_reach(s, ns);
	}
	s->last_ns = (int64_t)(ns - s->last_ns) > 0 ? ns : s->last_ns;
}

/* Counts an event, after slices_see(). */
static inline void slices_add(struct slices *s, const struct record *rec)
{
	uint64_t slice = (rec->ns - s->first_ns) >> s->shift;

	if (UNLIKELY(rec->class->index >= s->classes.count)) {
		slices_examine(s, rec->class);
	}
	struct slices_class *class = &s->classes.items[rec->class->index];

	/* An event that is older than the first one, as in damaged traces, is of the first slice.
	 */
	class->class = rec->class;
	class->counts[slice < SLICES_MAX ? slice : 0]++;
	s->events++;
}

/* Returns the number of slices up to the last time. */
static inline size_t slices_count(const struct slices *s)
{
	return s->has_time ? (size_t)((s->last_ns - s->first_ns) >> s->shift) + 1 : 0;
}

#endif
