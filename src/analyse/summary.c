/* SPDX-License-Identifier: MIT */
/* Counting, see analyse/summary.h. */
#include "analyse/summary.h"

#include <stdlib.h>
#include <string.h>

void summary_init(struct summary *s)
{
	*s = (struct summary){ .first_ns = INT64_MAX, .last_ns = INT64_MIN };
}

void summary_fini(struct summary *s)
{
	vec_fini(&s->counts);
	vec_fini(&s->pids);
	vec_fini(&s->by_trace);
}

static void count_pid(struct summary *s)
{
	size_t i = 0;

	while (i < s->pids.count && s->pids.items[i].pid != s->run_pid) {
		i++;
	}
	s->more_pids |= i >= SUMMARY_PIDS_MAX;
	if (i >= SUMMARY_PIDS_MAX) {
		return;
	}
	if (i == s->pids.count) {
		vec_push(&s->pids, ((struct pid_count){ .pid = s->run_pid }));
	}
	s->pids.items[i].events += s->run;
}

static void end_run(struct summary *s)
{
	if (s->run == 0) {
		return;
	}
	while (s->by_trace.count <= s->run_trace) {
		vec_push(&s->by_trace, 0);
	}
	s->by_trace.items[s->run_trace] += s->run;
	s->events += s->run;
	count_pid(s);
	s->run = 0;
}

/* Whatever is no further event of the run. */
void summary_add_slowly(struct summary *s, const struct record *rec)
{
	if (rec->kind == RECORD_GAP) {
		s->gaps++;
		s->lost += rec->lost;
		s->lost_packets += rec->lost_packets;
		return;
	}
	end_run(s);
	s->run_pid = rec->pid;
	s->run_trace = rec->trace;
	while (s->counts.count <= rec->class->index) {
		vec_push(&s->counts, ((struct event_count){ 0 }));
	}
	summary_add(s, rec);
}

/* The end of the events that are of one class, process and trace, as the first is. */
static const struct record *add_alike(
	struct summary *s, const struct record *first, const struct record *end)
{
	const struct record *rec = first;
	int64_t first_ns = s->first_ns;
	int64_t last_ns = s->last_ns;

	do {
		int64_t ns = (int64_t)rec->ns;

		first_ns = ns < first_ns ? ns : first_ns;
		last_ns = ns > last_ns ? ns : last_ns;
		rec++;
	} while (rec < end && rec->class == first->class && rec->pid == first->pid &&
		 rec->trace == first->trace);
	s->first_ns = first_ns;
	s->last_ns = last_ns;
	s->counts.items[first->class->index].events += (uint64_t)(rec - first);
	s->run += (uint64_t)(rec - first);
	return rec;
}

void summary_add_few(struct summary *s, const struct record *records, size_t count)
{
	const struct record *end = records + count;

	for (const struct record *rec = records; rec < end;) {
		summary_add(s, rec);
		rec++;
		if (rec < end && rec->class && rec->class == rec[-1].class &&
			rec->pid == s->run_pid && rec->trace == s->run_trace) {
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
		qsort(s->counts.items, seen, sizeof(*s->counts.items), compare);
	}
}
