/* SPDX-License-Identifier: MIT */
/* Counting, see analyse/summary.h. */
#include "analyse/summary.h"

#include <stdlib.h>
#include <string.h>

void summary_init(struct summary *s)
{
	*s = (struct summary){ .first_ns = UINT64_MAX };
}

void summary_fini(struct summary *s)
{
	vec_fini(&s->counts);
	vec_fini(&s->pids);
	vec_fini(&s->by_trace);
}

static COLD void find_pid(struct summary *s, uint32_t pid)
{
	for (size_t i = 0; i < s->pids.count; i++) {
		if (s->pids.items[i].pid == pid) {
			s->pid_hint = i;
			return;
		}
	}
	s->more_pids = s->pids.count >= SUMMARY_PIDS_MAX;
	if (!s->more_pids) {
		s->pid_hint = s->pids.count;
		vec_push(&s->pids, ((struct pid_count){ .pid = pid }));
	}
}

static void count_pid(struct summary *s, uint32_t pid)
{
	if (UNLIKELY(s->pid_hint >= s->pids.count || s->pids.items[s->pid_hint].pid != pid)) {
		find_pid(s, pid);
	}
	s->pids.items[s->pid_hint].events += s->pids.items[s->pid_hint].pid == pid;
}

static void count_trace(struct summary *s, uint32_t trace)
{
	while (UNLIKELY(s->by_trace.count <= trace)) {
		vec_push(&s->by_trace, 0);
	}
	s->by_trace.items[trace]++;
}

static void count_class(struct summary *s, const struct event_class *class)
{
	while (UNLIKELY(s->counts.count <= class->index)) {
		vec_push(&s->counts, ((struct event_count){ 0 }));
	}
	s->counts.items[class->index].class = class;
	s->counts.items[class->index].events++;
}

void summary_add(struct summary *s, const struct record *rec)
{
	s->first_ns = rec->ns < s->first_ns ? rec->ns : s->first_ns;
	s->last_ns = rec->ns > s->last_ns ? rec->ns : s->last_ns;
	if (rec->kind == RECORD_GAP) {
		s->gaps++;
		s->lost += rec->lost;
		s->lost_packets += rec->lost_packets;
		return;
	}
	s->events++;
	count_pid(s, rec->pid);
	count_trace(s, rec->trace);
	count_class(s, rec->class);
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
