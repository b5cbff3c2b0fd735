/* SPDX-License-Identifier: MIT */
/*
 * The contents of a trace in numbers: events of each kind, losses, first and last time, processes
 * and threads. Reads one record at a time and prints nothing. One thread.
 */
#ifndef ANALYSE_SUMMARY_H
#define ANALYSE_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/vec.h"
#include "read/record.h"

/*
 * Limits of processes and threads that are distinguished: a damaged trace can contain any number.
 */
#define SUMMARY_PIDS_MAX 1024
#define SUMMARY_THREADS_MAX 65536

/* Slots of the table of threads, which is at most half full. */
#define SUMMARY_SLOTS (2 * SUMMARY_THREADS_MAX)

struct pid_count {
	uint32_t pid;
	uint64_t events;
};

struct thread_count {
	uint32_t trace;
	uint32_t pid;
	uint32_t tid;
	uint64_t events;
	struct losses losses;
	int64_t first_ns; /* the smallest time of its records */
	int64_t last_ns;
};

struct event_count {
	const struct event_class *class; /* NULL: no event of this class was seen */
	uint64_t events;
};

struct summary {
	uint64_t events;
	uint64_t gaps;
	struct losses losses;
	/* The smallest and the largest time, in any order of records; negative: before boot. */
	int64_t first_ns;
	int64_t last_ns;
	VEC(struct event_count) counts; /* by class index before summary_sort() */
	VEC(struct pid_count) pids;
	VEC(struct thread_count) threads; /* in the order of their first records */
	VEC(uint64_t) by_trace; /* events of each of the reader's traces */
	struct thread_count run; /* the last events, all of one thread, not yet added to the rest */
	bool more_pids; /* there are more than SUMMARY_PIDS_MAX */
	bool more_threads; /* there are more than SUMMARY_THREADS_MAX */
	uint32_t *slots; /* by thread: positions in `threads`, from 1; 0: free */
};

void summary_init(struct summary *s);
void summary_fini(struct summary *s);

/* Adds a record that does not continue the run. For summary_add(). */
void summary_add_slowly(struct summary *s, const struct record *rec);

static inline void summary_add(struct summary *s, const struct record *rec)
{
	int64_t ns = (int64_t)rec->ns;
	struct thread_count *run = &s->run;

	if (UNLIKELY(rec->kind != RECORD_EVENT || rec->class->index >= s->counts.count ||
		     rec->pid != run->pid || rec->tid != run->tid || rec->trace != run->trace)) {
		summary_add_slowly(s, rec);
		return;
	}
	run->first_ns = ns < run->first_ns ? ns : run->first_ns;
	run->last_ns = ns > run->last_ns ? ns : run->last_ns;
	s->counts.items[rec->class->index].class = rec->class;
	s->counts.items[rec->class->index].events++;
	run->events++;
}

/* Adds counted events. */
void summary_add_runs(struct summary *s, const struct record_tally *runs, size_t count);

/* Adds several records, faster than one by one. */
void summary_add_few(struct summary *s, const struct record *records, size_t count);

/*
 * Completes the counts; before this, only losses are up to date. Leaves one count for each name
 * that was seen, the most frequent first, and sorts threads by trace, process and number.
 */
void summary_sort(struct summary *s);

#endif
