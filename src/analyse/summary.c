/* SPDX-License-Identifier: MIT */
/*
 * Counts records. Consecutive events of one thread are a run: they are counted in `run`, and added
 * to their thread, process and trace when another thread records. Invariant: after summary_sort()
 * the run is empty.
 */
#include "analyse/summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define NO_TIMES .first_ns = INT64_MAX, .last_ns = INT64_MIN

void summary_init(struct summary *s)
{
	*s = (struct summary){ NO_TIMES, .run = { NO_TIMES } };
}

void summary_fini(struct summary *s)
{
	vec_fini(&s->counts);
	vec_fini(&s->pids);
	vec_fini(&s->threads);
	vec_fini(&s->by_trace);
	free(s->slots);
}

static void span(int64_t *first_ns, int64_t *last_ns, const struct thread_count *more)
{
	*first_ns = more->first_ns < *first_ns ? more->first_ns : *first_ns;
	*last_ns = more->last_ns > *last_ns ? more->last_ns : *last_ns;
}

static void count_pid(struct summary *s)
{
	size_t i = 0;

	while (i < s->pids.count && s->pids.items[i].pid != s->run.pid) {
		i++;
	}
	s->more_pids |= i >= SUMMARY_PIDS_MAX;
	if (i >= SUMMARY_PIDS_MAX) {
		return;
	}
	if (i == s->pids.count) {
		vec_push(&s->pids, ((struct pid_count){ .pid = s->run.pid }));
	}
	s->pids.items[i].events += s->run.events;
}

/*
 * Returns the count of the thread with the numbers of `name`; NULL if there are too many threads.
 */
static struct thread_count *get_thread(struct summary *s, const struct thread_count *name)
{
	const struct thread_count fresh = {
		.trace = name->trace, .pid = name->pid, .tid = name->tid, NO_TIMES
	};
	size_t at = (name->tid + 31 * name->pid + 1021 * name->trace) % SUMMARY_SLOTS;

	s->slots = s->slots ? s->slots : xcalloc(SUMMARY_SLOTS, sizeof(*s->slots));
	for (; s->slots[at]; at = (at + 1) % SUMMARY_SLOTS) {
		struct thread_count *t = &s->threads.items[s->slots[at] - 1];

		if (t->tid == name->tid && t->pid == name->pid && t->trace == name->trace) {
			return t;
		}
	}
	s->more_threads |= s->threads.count == SUMMARY_THREADS_MAX;
	if (s->more_threads) {
		return NULL;
	}
	vec_push(&s->threads, fresh);
	s->slots[at] = (uint32_t)s->threads.count;
	return &s->threads.items[s->threads.count - 1];
}

/* Adds records or losses of one thread to its count and to the sums. */
static void count(struct summary *s, const struct thread_count *more)
{
	struct thread_count *thread = get_thread(s, more);

	if (thread) {
		thread->events += more->events;
		losses_add(&thread->losses, &more->losses);
		span(&thread->first_ns, &thread->last_ns, more);
	}
	losses_add(&s->losses, &more->losses);
	span(&s->first_ns, &s->last_ns, more);
}

static void end_run(struct summary *s)
{
	if (s->run.events == 0) {
		return;
	}
	while (s->by_trace.count <= s->run.trace) {
		vec_push(&s->by_trace, 0);
	}
	s->by_trace.items[s->run.trace] += s->run.events;
	s->events += s->run.events;
	count_pid(s);
	count(s, &s->run);
	s->run.events = 0;
}

/* Begins a run of a thread's events. */
static void begin_run(
	struct summary *s, const struct thread_count *thread, const struct event_class *class)
{
	end_run(s);
	s->run = (struct thread_count){
		.trace = thread->trace, .pid = thread->pid, .tid = thread->tid, NO_TIMES
	};
	while (s->counts.count <= class->index) {
		vec_push(&s->counts, ((struct event_count){ 0 }));
	}
}

static bool is_of_run(const struct summary *s, uint32_t trace, uint32_t pid, uint32_t tid)
{
	return tid == s->run.tid && pid == s->run.pid && trace == s->run.trace;
}

void summary_add_slowly(struct summary *s, const struct record *rec)
{
	struct thread_count one = {
		.trace = rec->trace,
		.pid = rec->pid,
		.tid = rec->tid,
	};

	if (rec->kind == RECORD_GAP) {
		one.first_ns = one.last_ns = (int64_t)rec->ns;
		one.losses = rec->gap;
		s->gaps++;
		count(s, &one);
		return;
	}
	begin_run(s, &one, rec->class);
	summary_add(s, rec);
}

void summary_add_runs(struct summary *s, const struct record_tally *runs, size_t count)
{
	for (const struct record_tally *r = runs; r < runs + count; r++) {
		const struct thread_count thread = {
			.trace = r->trace,
			.pid = r->pid,
			.tid = r->tid,
			.events = r->events,
			.first_ns = r->first_ns,
			.last_ns = r->last_ns,
		};

		if (!is_of_run(s, r->trace, r->pid, r->tid) || r->class->index >= s->counts.count) {
			begin_run(s, &thread, r->class);
		}
		span(&s->run.first_ns, &s->run.last_ns, &thread);
		s->counts.items[r->class->index].class = r->class;
		s->counts.items[r->class->index].events += r->events;
		s->run.events += r->events;
	}
}

/* Counts events of the class and the run of the first one; returns their end. */
static const struct record *add_alike(
	struct summary *s, const struct record *first, const struct record *end)
{
	const struct record *rec = first;
	int64_t first_ns = s->run.first_ns;
	int64_t last_ns = s->run.last_ns;

	do {
		int64_t ns = (int64_t)rec->ns;

		first_ns = ns < first_ns ? ns : first_ns;
		last_ns = ns > last_ns ? ns : last_ns;
		rec++;
	} while (rec < end && rec->class == first->class &&
		 is_of_run(s, rec->trace, rec->pid, rec->tid));
	s->run.first_ns = first_ns;
	s->run.last_ns = last_ns;
	s->counts.items[first->class->index].events += (uint64_t)(rec - first);
	s->run.events += (uint64_t)(rec - first);
	return rec;
}

void summary_add_few(struct summary *s, const struct record *records, size_t count)
{
	const struct record *end = records + count;

	for (const struct record *rec = records; rec < end;) {
		summary_add(s, rec);
		rec++;
		if (rec < end && rec->class && rec->class == rec[-1].class &&
			is_of_run(s, rec->trace, rec->pid, rec->tid)) {
			rec = add_alike(s, rec, end);
		}
	}
}

static int compare(const void *a, const void *b)
{
	const struct event_count *x = a;
	const struct event_count *y = b;

	if (x->events != y->events) {
		return x->events < y->events ? 1 : -1;
	}
	return strcmp(x->class->name, y->class->name);
}

static int compare_names(const void *a, const void *b)
{
	const struct event_count *x = a;
	const struct event_count *y = b;

	return strcmp(x->class->name, y->class->name);
}

static int compare_threads(const void *a, const void *b)
{
	const struct thread_count *x = a;
	const struct thread_count *y = b;

	if (x->trace != y->trace) {
		return x->trace < y->trace ? -1 : 1;
	}
	if (x->pid != y->pid) {
		return x->pid < y->pid ? -1 : 1;
	}
	return (x->tid > y->tid) - (x->tid < y->tid);
}

void summary_sort(struct summary *s)
{
	size_t seen = 0;

	end_run(s);
	vec_foreach (struct event_count *, it, &s->counts) {
		if (it->class) {
			s->counts.items[seen++] = *it;
		}
	}
	s->counts.count = seen;
	if (seen > 0) {
		/* Merges classes of one name, which several traces may have. */
		struct event_count *counts = s->counts.items;
		size_t kinds = 0;

		qsort(counts, s->counts.count, sizeof(*counts), compare_names);
		for (size_t i = 0; i < s->counts.count; i++) {
			if (kinds > 0 && compare_names(&counts[kinds - 1], &counts[i]) == 0) {
				counts[kinds - 1].events += counts[i].events;
			} else {
				counts[kinds++] = counts[i];
			}
		}
		s->counts.count = kinds;
		qsort(s->counts.items, s->counts.count, sizeof(*s->counts.items), compare);
	}
	if (s->threads.count > 0) {
		qsort(s->threads.items, s->threads.count, sizeof(*s->threads.items),
			compare_threads);
	}
}
