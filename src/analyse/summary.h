/* SPDX-License-Identifier: MIT */
/*
 * What is inside a trace, in numbers: events of each kind, losses, the time
 * they span, the processes. Fed record by record; says nothing itself.
 */
#ifndef ANALYSE_SUMMARY_H
#define ANALYSE_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

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
	uint64_t first_ns; /* the smallest and the largest time, not those of file order */
	uint64_t last_ns;
	VEC(struct event_count) counts; /* by class index, until summary_sort() */
	VEC(struct pid_count) pids;
	VEC(uint64_t) by_trace; /* events of each of the reader's traces */
	size_t pid_hint; /* where the last record's process stands */
	bool more_pids; /* than SUMMARY_PIDS_MAX */
};

void summary_init(struct summary *s);
void summary_fini(struct summary *s);
void summary_add(struct summary *s, const struct record *rec);

/* Leaves only the events that were seen, the most frequent first. The end of adding. */
void summary_sort(struct summary *s);

#endif
