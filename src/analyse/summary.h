/* SPDX-License-Identifier: MIT */
/*
 * What is inside a trace, in numbers: events of each kind, losses, the time
 * they span, the processes and threads. Fed record by record; says nothing itself.
 */
#ifndef ANALYSE_SUMMARY_H
#define ANALYSE_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/vec.h"
#include "read/record.h"

/* More than these are not told apart: a damaged trace can name any number. */
#define SUMMARY_PIDS_MAX 1024
#define SUMMARY_THREADS_MAX 65536

/* Of the table that finds them: at most half of it is full. */
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
	const struct event_class *class; /* NULL: none of this class was seen */
	uint64_t events;
};

struct summary {
	uint64_t events;
	uint64_t gaps;
	struct losses losses;
	/* The smallest and the largest time, not those of file order; negative: before boot. */
	int64_t first_ns;
	int64_t last_ns;
	VEC(struct event_count) counts; /* by class index, until summary_sort() */
	VEC(struct pid_count) pids;
	VEC(struct thread_count) threads; /* in the order in which they came */
	VEC(uint64_t) by_trace; /* events of each of the reader's traces */
	/* The events of one thread that came last, to be added to all that they are of. */
	struct thread_count run;
	bool more_pids; /* than SUMMARY_PIDS_MAX */
	bool more_threads; /* than SUMMARY_THREADS_MAX */
	uint32_t *slots; /* by thread: positions in `threads`, from 1; 0: free */
};

void summary_init(struct summary *s);
void summary_fini(struct summary *s);
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

/* The same for many, which is faster than one by one. */
void summary_add_few(struct summary *s, const struct record *records, size_t count);

/*
 * Ends the adding, before which only losses are told: leaves only the events that
 * were seen, a count for each name, the most frequent first, and sorts threads by trace, process
 * and number.
 */
void summary_sort(struct summary *s);

#endif
