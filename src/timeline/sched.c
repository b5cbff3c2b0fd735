/* SPDX-License-Identifier: MIT */
/*
 * Spans from event to event of a processor or thread. Where the capture lost events, nothing is
 * known until the next one.
 */
#include "timeline/sched.h"

#include <string.h>

#include "base/compiler.h"

#define NO_THREAD 0u /* the idle thread of each processor */

void sched_init(struct sched *s)
{
	*s = (struct sched){ 0 };
}

void sched_fini(struct sched *s)
{
	vec_foreach (struct sched_row *, row, &s->rows) {
		vec_fini(&row->spans);
	}
	vec_fini(&s->rows);
	keys_fini(&s->by_id);
}

/* Returns a row, which may be new; NULL: that would be one more than the limit of spans. */
static struct sched_row *row_of(struct sched *s, bool is_cpu, uint32_t id)
{
	const struct key key = { .trace = is_cpu, .tid = id };
	uint32_t index = keys_get(&s->by_id, &key);

	if (index == KEYS_NONE && s->spans >= SCHED_MAX) {
		s->is_cut = true;
		return NULL;
	}
	if (index == KEYS_NONE) {
		index = (uint32_t)s->rows.count;
		vec_push(&s->rows, ((struct sched_row){ .is_cpu = is_cpu, .id = id }));
		keys_swap(&s->by_id, &key, index);
	}
	return &s->rows.items[index];
}

static void end_span(struct sched_row *row, int64_t ns)
{
	struct sched_span *last = row->spans.count ? &row->spans.items[row->spans.count - 1] : NULL;

	if (last && last->end_ns == NEAR_OPEN) {
		last->end_ns = ns > last->begin_ns ? ns : last->begin_ns;
	}
}

static void begin_span(struct sched *s, struct sched_row *row, int64_t ns, uint32_t what)
{
	end_span(row, ns);
	if (s->spans >= SCHED_MAX) {
		s->is_cut = true;
		return;
	}
	s->spans++;
	vec_push(&row->spans,
		((struct sched_span){ .begin_ns = ns, .end_ns = NEAR_OPEN, .what = what }));
}

/* Returns the state of a thread now; 0: not known. */
static uint32_t state_of(const struct sched_row *thread)
{
	const struct sched_span *last =
		thread->spans.count ? &thread->spans.items[thread->spans.count - 1] : NULL;

	return last && last->end_ns == NEAR_OPEN ? last->what : 0;
}

/* The thread goes on waiting until it runs, if no event has woken it. */
static void wake(struct sched *s, const struct kernel_event *e)
{
	struct sched_row *thread = e->next == NO_THREAD ? NULL : row_of(s, false, e->next);

	/* A thread that is on its way off its processor is woken again after the switch. */
	if (thread && (state_of(thread) == SCHED_WAITING || state_of(thread) == 0)) {
		begin_span(s, thread, (int64_t)e->ns, SCHED_RUNNABLE);
	}
}

/* True if a thread could run since an event has woken it, and nothing is known of the time before.
 */
static bool is_only_woken(const struct sched_row *thread)
{
	const struct sched_span *spans = thread->spans.items;
	size_t count = thread->spans.count;

	return state_of(thread) == SCHED_RUNNABLE &&
	       (count == 1 || spans[count - 2].end_ns != spans[count - 1].begin_ns);
}

static void begin_running(struct sched *s, const struct kernel_event *e)
{
	int64_t ns = (int64_t)e->ns;
	struct sched_row *cpu = row_of(s, true, e->cpu);

	if (cpu && e->next == NO_THREAD) {
		end_span(cpu, ns);
	} else if (cpu) {
		begin_span(s, cpu, ns, e->next);
	}
	struct sched_row *thread = e->next == NO_THREAD ? NULL : row_of(s, false, e->next);

	if (thread) {
		begin_span(s, thread, ns, SCHED_RUNNING);
	}
}

static void switch_threads(struct sched *s, const struct kernel_event *e)
{
	begin_running(s, e);
	struct sched_row *thread = e->tid == NO_THREAD ? NULL : row_of(s, false, e->tid);
	bool is_preempted = strstr(e->name, "preempted") != NULL;

	if (!thread) {
		return;
	}
	if (is_only_woken(thread)) { /* it was running, since an unknown time */
		s->spans--;
		thread->spans.count--;
	}
	begin_span(s, thread, (int64_t)e->ns, is_preempted ? SCHED_RUNNABLE : SCHED_WAITING);
}

void sched_add(struct sched *s, const struct kernel_event *e)
{
	static void (*const takers[])(struct sched * s, const struct kernel_event *e) = {
		[KERNEL_SWITCH] = switch_threads,
		[KERNEL_WAKE] = wake,
	};

	if (e->edge == KERNEL_LOST) {
		sched_end(s);
	} else if (e->edge < ARRAY_SIZE(takers) && takers[e->edge]) {
		s->first_ns = s->rows.count > 0 ? s->first_ns : (int64_t)e->ns;
		s->last_ns = (int64_t)e->ns;
		takers[e->edge](s, e);
	}
}

void sched_end(struct sched *s)
{
	vec_foreach (struct sched_row *, row, &s->rows) {
		end_span(row, s->last_ns);
	}
}

/* Returns the index of the first span that ends at a time or later. */
static size_t first_span(const struct sched_row *row, int64_t ns)
{
	size_t begin = 0;
	size_t end = row->spans.count;

	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;

		if (row->spans.items[middle].end_ns < ns) {
			begin = middle + 1;
		} else {
			end = middle;
		}
	}
	return begin;
}

void sched_near(const struct sched *s, size_t row, struct near *near)
{
	const struct sched_row *r = &s->rows.items[row];

	for (size_t i = first_span(r, near->from_ns); i < r->spans.count; i++) {
		const struct sched_span *span = &r->spans.items[i];

		if (span->begin_ns > near->to_ns) {
			break;
		}
		vec_push(&near->items, ((struct near_item){ .kind = NEAR_SLICE,
					       .track = (uint32_t)row,
					       .begin_ns = span->begin_ns,
					       .end_ns = span->end_ns,
					       .name = span->what }));
	}
}
