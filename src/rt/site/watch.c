/* SPDX-License-Identifier: MIT */
/* A call of an event with watches: see watch.h. Does the actions that need no lock. */
#include <errno.h>

#include "base/compiler.h"
#include "expr/program.h"
#include "rt/record/clock.h"
#include "rt/site/aggregate.h"
#include "rt/site/report.h"
#include "rt/site/watch.h"

static void fire(struct slot *s, struct trigger *t, const struct waymark_event *event)
{
	unsigned int backends = __atomic_load_n(&t->backends, __ATOMIC_RELAXED);
	unsigned int on = backends & state_switchable(event);
	int saved = errno;

	if (on & WAYMARK_CTF) {
		waymark_report_trigger(t->text, event->name);
	}
	waymark_report_print(on, &waymark_own_trigger, " %s: %s", event->name, t->text);
	for (unsigned int i = 0; i < t->actions.count; i++) {
		const struct action *a = &t->actions.items[i];

		if (a->kind == ACTION_MARK && on & WAYMARK_CTF) {
			waymark_report_mark(a->text);
		}
	}
	waymark_trigger_fire(t, &s->cursors[WAYMARK_RECORDER_CTF][0].hot);
	errno = saved;
}

/* The program must have run so long before a tick's length is known for good. */
#define MEASURE_NS UINT64_C(10000000)

/* Returns the ns of a tick, as in struct clock_segment. */
static NOINLINE uint64_t measure_tick(uint64_t *kept)
{
	const struct buffer_clock begin = waymark_clock_loaded();
	const struct clock_pair from = { begin.ticks, begin.monotonic_ns };
	const struct clock_pair now = waymark_clock_pair();
	uint64_t mult = waymark_clock_segment(from, now).mult;

	if (now.ns - from.ns >= MEASURE_NS) {
		__atomic_store_n(kept, mult, __ATOMIC_RELAXED);
	}
	return mult;
}

static uint64_t elapsed_ns(uint64_t ticks)
{
	static uint64_t kept; /* relaxed; 0: not known yet */
	uint64_t mult = __atomic_load_n(&kept, __ATOMIC_RELAXED);

	return clock_scale(ticks, LIKELY(mult) ? mult : measure_tick(&kept));
}

/* A number of the slot's thread; successive ones for the slots of a slab. */
static uint32_t thread_of(const struct slot *s)
{
	return (uint32_t)((uintptr_t)s / sizeof(*s));
}

void waymark_pair(const struct slot *s, struct field_call *call, struct pairing *p,
	const struct field_ref *field)
{
	/* First, because the processor searches the table while it reads the clock. */
	uint64_t now = waymark_clock_ticks();
	uint64_t begin;

	call->is_paired =
		waymark_pair_take(p->table, field_number(field, call), thread_of(s), &begin);
	if (call->is_paired) {
		/* Another processor's counter may be a little behind. */
		call->elapsed = now > begin ? elapsed_ns(now - begin) : 0;
	}
}

static void try_trigger(
	struct slot *s, const struct watch *w, struct field_call *call, uint32_t turn)
{
	if (w->pairing) {
		waymark_pair(s, call, w->pairing, &w->paired);
	}
	if (!expr_run(w->program, call->words, field_own(call), waymark_field_get, call)) {
		return;
	}
	if (w->aggregate.aggregation) {
		waymark_aggregate(s, w, call, turn);
	} else if (waymark_trigger_passes(w->trigger)) {
		fire(s, w->trigger, call->event);
	}
}

static void begin_pair(const struct slot *s, const struct watch *w, struct field_call *call)
{
	uint64_t now = waymark_clock_ticks();

	waymark_pair_enter(w->pairing->table, field_number(&w->paired, call), thread_of(s), now);
}

void waymark_watch(struct slot *s, const struct watch *w, struct field_call *call, uint32_t turn)
{
	if (w->trigger) {
		try_trigger(s, w, call, turn);
	} else {
		begin_pair(s, w, call);
	}
}

void waymark_watch_all(
	struct slot *s, const struct watches *all, struct field_call *call, uint32_t turn)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct watch *w = watch_at(all, i);

		if (w && w->trigger) {
			try_trigger(s, w, call, turn);
		}
	}
	for (size_t i = 0; i < all->count; i++) {
		const struct watch *w = watch_at(all, i);

		if (w && !w->trigger) {
			begin_pair(s, w, call);
		}
	}
}
