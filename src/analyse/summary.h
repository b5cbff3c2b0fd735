/* SPDX-License-Identifier: MIT */
/*
 * What is inside a trace, in numbers: events of each kind, losses, the time
 * they span, the processes. Fed record by record; says nothing itself.
 */
#ifndef ANALYSE_SUMMARY_H
#define ANALYSE_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/vec.h"
#include "read/record.h"

/* More processes than this are not told apart: a damaged trace can name any number. */
#define SUMMARY_PIDS_MAX 1024

struct pid_count {
	uint32_t pid;
	uint64_t events;
};

struct event_count {
	const struct event_class *class; /* NULL: none of this class was seen */
	uint64_t events;
};

struct summary {
	uint64_t events;
	uint64_t gaps;
	uint64_t lost;
	uint64_t lost_packets; /* of whose events nobody knows */
	/* The smallest and the largest time, not those of file order; negative: before boot. */
	int64_t first_ns;
	int64_t last_ns;
	VEC(struct event_count) counts; /* by class index, until summary_sort() */
	VEC(struct pid_count) pids;
	VEC(uint64_t) by_trace; /* events of each of the reader's traces */
	/* Events of one process and trace that came last, to be added to all that they are of. */
	uint64_t run;
	uint32_t run_pid;
	uint32_t run_trace;
	bool more_pids; /* than SUMMARY_PIDS_MAX */
};

void summary_init(struct summary *s);
void summary_fini(struct summary *s);
void summary_add_slowly(struct summary *s, const struct record *rec);

static inline void summary_add(struct summary *s, const struct record *rec)
{
	int64_t ns = (int64_t)rec->ns;

	s->first_ns = ns < s->first_ns ? ns : s->first_ns;
	s->last_ns = ns > s->last_ns ? ns : s->last_ns;
	if (UNLIKELY(rec->kind != RECORD_EVENT || rec->class->index >= s->counts.count ||
		     rec->pid != s->run_pid || rec->trace != s->run_trace)) {
		summary_add_slowly(s, rec);
		return;
	}
	s->counts.items[rec->class->index].class = rec->class;
	s->counts.items[rec->class->index].events++;
	s->run++;
}

/* The same for many, which is faster than one by one. */
void summary_add_few(struct summary *s, const struct record *records, size_t count);

/*
 * Ends the adding, before which only times and losses are told: leaves only the
 * events that were seen, the most frequent first.
 */
void summary_sort(struct summary *s);

#endif
