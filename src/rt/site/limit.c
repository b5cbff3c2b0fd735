/* SPDX-License-Identifier: MIT */
/* Limits of events in the threads that fire them: see limit.h. */
#include <errno.h>

#include "base/compiler.h"
#include "format/own_events.h"
#include "rt/event/own.h"
#include "rt/record/process.h"
#include "rt/record/recorder.h"
#include "rt/site/limit.h"
#include "rt/site/report.h"

/* Text backends print counts of an event at most this often. */
#define PRINT_NS UINT64_C(100000000)

/* An event's limits in a slot. The slot's thread stores; others read `total`, and at the end more.
 */
struct limited {
	waymark_count total; /* calls left out */
	waymark_count unprinted; /* of these, text backends have not printed; atomic */
	waymark_count unrecorded; /* of these, no record counts; atomic */
	uint64_t next_ns; /* of the rate: when the next call would come at an even rate */
	uint64_t printed_ns;
	struct growing record;
	uint32_t serial; /* of the decision to which the rest belongs */
	uint32_t skip; /* calls until `every` lets one pass */
};

/* The limited events of a slot, in pieces that are mapped when first used. */
#define PIECE_EVENTS 64u
#define PIECES (REGISTRY_IDS_MAX / PIECE_EVENTS)

struct limited_events {
	struct limited *pieces[PIECES];
};

static struct limited *limited_of(struct slot *s, uint32_t id)
{
	struct limited_events *all = waymark_wiped_at(&s->limited, sizeof(*all));
	void **place = all ? (void **)&all->pieces[id / PIECE_EVENTS] : NULL;
	struct limited *piece =
		place ? waymark_wiped_at(place, PIECE_EVENTS * sizeof(*piece)) : NULL;

	return piece ? &piece[id % PIECE_EVENTS] : NULL;
}

/* ---- Whether a call passes ---- */

/*
 * The same in each process, so that `sample=1/N by FIELD` keeps the same objects in a program and
 * its server.
 */
static bool is_sampled(const struct decision *d, struct field_call *call)
{
	uint32_t sample = d->limits->sample;

	return !sample || field_key(&d->sampled, call) % sample == 0;
}

static bool is_turn(const struct decision *d, struct limited *l)
{
	if (l->skip) {
		l->skip--;
		return false;
	}
	l->skip = d->limits->every ? d->limits->every - 1 : 0;
	return true;
}

static bool is_in_rate(const struct decision *d, struct limited *l)
{
	return !d->limits->interval_ns || limits_rate(d->limits, waymark_clock_ns(), &l->next_ns);
}

/* ---- Counts ---- */

/* A call inside of another event, in a signal handler, is counted by the next one outside. */
static void record_left_out(
	struct limited *l, const struct decision *d, const struct waymark_event *event)
{
	uint64_t calls = 1 + __atomic_exchange_n(&l->unrecorded, 0, __ATOMIC_RELAXED);

	if (LIKELY(growing_begin(&l->record))) {
		growing_add(&l->record, LEFT_OUT_COUNT, calls);
		growing_end();
	} else if (!waymark_report_left_out(&l->record, calls, event->name, d->limits->text)) {
		__atomic_fetch_add(&l->unrecorded, calls, __ATOMIC_RELAXED);
	}
}

static void print(unsigned int on, uint64_t calls, const char *event, const char *limits)
{
	waymark_report_print(on, &waymark_own_left_out, " %llu of %s by %s",
		(unsigned long long)calls, event, limits);
}

/* Prints the count before a call that passes. */
static NOINLINE void print_left_out(struct limited *l, const struct decision *d,
	const struct waymark_event *event, unsigned int on)
{
	uint64_t now = waymark_clock_ns();

	if (now - l->printed_ns < PRINT_NS) {
		return;
	}
	uint64_t calls = __atomic_exchange_n(&l->unprinted, 0, __ATOMIC_RELAXED);
	int saved = errno;

	l->printed_ns = now;
	print(on, calls, event->name, d->limits->text);
	errno = saved;
}

/* ---- What callers see ---- */

static NOINLINE void leave_out(struct limited *l, const struct decision *d,
	const struct waymark_event *event, unsigned int on)
{
	__atomic_store_n(&l->total, l->total + 1, __ATOMIC_RELAXED);
	if (on & WAYMARK_CTF) {
		record_left_out(l, d, event);
	}
	if (on & ~(unsigned int)RECORDING_BACKENDS) {
		__atomic_fetch_add(&l->unprinted, 1, __ATOMIC_RELAXED);
	}
}

static void begin(struct limited *l, uint32_t serial)
{
	l->serial = serial;
	l->skip = 0;
	l->next_ns = 0;
	l->record.numbers = NULL;
}

bool waymark_limit_pass(
	struct slot *s, struct decision *d, struct field_call *call, unsigned int on)
{
	const struct waymark_event *event = call->event;
	struct limited *l = limited_of(s, event->id);

	if (UNLIKELY(!l)) {
		return true; /* no memory: no call is left out without being counted */
	}
	if (UNLIKELY(l->serial != d->serial)) {
		begin(l, d->serial);
	}
	if (!is_sampled(d, call) || !is_turn(d, l) || !is_in_rate(d, l) ||
		!limits_first(d->limits, &d->first_passed)) {
		leave_out(l, d, event, on);
		return false;
	}
	if (UNLIKELY(__atomic_load_n(&l->unprinted, __ATOMIC_RELAXED))) {
		print_left_out(l, d, event, on);
	}
	return true;
}

/* Returns the slot's state of an event; NULL: none. Any thread. */
static struct limited *find(struct slot *s, uint32_t id)
{
	struct limited_events *all = __atomic_load_n(&s->limited, __ATOMIC_ACQUIRE);
	struct limited *piece =
		all ? __atomic_load_n(&all->pieces[id / PIECE_EVENTS], __ATOMIC_ACQUIRE) : NULL;

	return piece ? &piece[id % PIECE_EVENTS] : NULL;
}

uint64_t waymark_limit_left_out(uint32_t id)
{
	uint32_t index = 0;
	uint64_t sum = 0;

	/* It has an id once an event had limits. */
	for (struct slot *s; waymark_own_left_out.id && (s = waymark_slot_next_ever(&index));) {
		const struct limited *l = find(s, id);

		sum += l ? __atomic_load_n(&l->total, __ATOMIC_RELAXED) : 0;
	}
	return sum;
}

/* Reports what no later call will: the event's calls that are not printed or not recorded yet. */
static void report_event(uint32_t id, const struct decision *d)
{
	const struct waymark_entry *entry = waymark_registry_entry(id);
	struct growing rest = { 0 };
	uint64_t unrecorded = 0;
	uint64_t unprinted = 0;
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next_ever(&index));) {
		struct limited *l = find(s, id);

		unrecorded += l ? __atomic_exchange_n(&l->unrecorded, 0, __ATOMIC_RELAXED) : 0;
		unprinted += l ? __atomic_exchange_n(&l->unprinted, 0, __ATOMIC_RELAXED) : 0;
	}
	if (unrecorded) {
		waymark_report_left_out(&rest, unrecorded, entry->name, d->limits->text);
	}
	if (unprinted) {
		print(waymark_conditional[id], unprinted, entry->name, d->limits->text);
	}
}

/* Before the recorder's destructor, which writes the last events. */
__attribute__((destructor)) static void report_at_exit(void)
{
	struct slot *s = waymark_own_left_out.id ? waymark_recorder_slot() : NULL;

	if (!s) {
		return;
	}
	uint32_t turn = slot_enter(s);

	for (uint32_t id = 1; id < REGISTRY_IDS_MAX; id++) {
		const struct decided *of_event =
			__atomic_load_n(&waymark_decided[id], __ATOMIC_ACQUIRE);
		const struct decision *d = of_event ? decided_decision(of_event) : NULL;

		if (d && d->limits) {
			report_event(id, d);
		}
	}
	slot_exit(s, turn);
}
