/* SPDX-License-Identifier: MIT */
/*
 * Control's thread: does the actions of triggers that need a lock, after a call has fired them, and
 * records aggregations. It starts with the first trigger or aggregation; in a fork's child, with
 * the first firing. At the end of the process it does what is left, before the recorder's
 * destructor writes the last events.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <waymark/control.h>

#include "rt/event/trigger.h"
#include "rt/host/futex.h"
#include "rt/host/lock.h"
#include "rt/host/message.h"
#include "rt/host/thread.h"
#include "rt/record/process.h"
#include "rt/record/recorder.h"
#include "rt/site/aggregate.h"

/* How long an action waits for the thread that fired to record its event. */
#define RECORD_NS UINT64_C(1000000)
#define RECORD_STEP_NS UINT64_C(50000)

/* The most actions that wait for their time. */
#define TIMERS_MAX 64u

/* Backends that this process switches. */
#define SWITCHABLE (WAYMARK_ANY_BACKEND & ~(unsigned int)WAYMARK_OUTSIDE_BACKENDS)

/* A trigger that has fired: copies, because another thread may remove it. */
struct fired {
	char *text;
	struct actions actions;
	struct firing firing;
	uint32_t snapshots; /* before this one */
};

/* What is done later. */
struct timer {
	uint64_t ns; /* when; 0: free */
	enum action_kind kind; /* ACTION_SNAPSHOT or ACTION_ENABLE */
	char *text; /* of its trigger */
	char *directory; /* of a snapshot; NULL: the trace itself */
	char **names; /* of events to be switched off */
	size_t count;
};

/* How often aggregations are recorded. */
#define AGGREGATES_NS UINT64_C(1000000000)

/* How long the end of the process waits for the thread. */
#define END_NS UINT64_C(2000000000)

/* The thread's own; a fork's child inherits what waits. */
static struct reactor {
	struct timer timers[TIMERS_MAX];
	uint64_t aggregates_ns; /* when aggregations were last recorded */
} reactor;

static uint32_t thread_pid; /* of the process whose thread runs; atomic */
static uint32_t ending; /* 1: the process ends; atomic */
static uint32_t ended; /* futex: 1 when the thread has done all; by release */

static void report(const char *text, const struct waymark_error *error)
{
	waymark_message("trigger '%s': %s", text, error->text);
}

/* ---- Actions ---- */

static void snapshot(const char *text, const char *directory)
{
	struct waymark_error error;

	if (waymark_snapshot_to(directory, &error) != 0) {
		report(text, &error);
	}
}

/* Returns the directory of a snapshot, with a number from the second one on; NULL: none. */
static char *directory_of(const struct action *a, uint32_t before)
{
	char *path = NULL;

	if (!a->text) {
		return NULL;
	}
	if (before == 0) {
		return strdup(a->text);
	}
	return asprintf(&path, "%s.%u", a->text, before) < 0 ? NULL : path;
}

/*
 * Returns the timer of a trigger's action: the one that waits, which is prolonged, or a free one;
 * NULL, after a message, if there is none.
 */
static struct timer *timer_of(struct reactor *r, const struct fired *f, enum action_kind kind)
{
	struct timer *found = NULL;

	for (struct timer *t = r->timers; t < r->timers + TIMERS_MAX; t++) {
		if (t->ns && t->kind == kind && strcmp(t->text, f->text) == 0) {
			return t;
		}
		found = t->ns || found ? found : t;
	}
	if (!found) {
		waymark_message("trigger '%s': %u actions wait already", f->text, TIMERS_MAX);
	}
	return found;
}

/* Begins a timer. Returns false if it has begun already, or there is no memory. */
static bool begin_timer(struct timer *t, const struct fired *f, enum action_kind kind)
{
	char *text = t->ns ? NULL : strdup(f->text);

	if (text) {
		*t = (struct timer){ .kind = kind, .text = text };
	}
	return text;
}

static void snapshot_later(struct reactor *r, const struct fired *f, const struct action *a)
{
	struct timer *t = timer_of(r, f, ACTION_SNAPSHOT);

	/* One that waits has this moment in its time, too. */
	if (t && begin_timer(t, f, ACTION_SNAPSHOT)) {
		t->directory = directory_of(a, f->snapshots);
		t->ns = waymark_clock_ns() + a->ns;
	}
}

/* Gives the names of the events that match and are off. Returns false after a message. */
static bool list_off(const struct fired *f, const struct action *a, struct timer *t)
{
	struct waymark_event_list list;
	struct waymark_error error;

	if (waymark_list_events(a->text, &list, &error) != 0) {
		report(f->text, &error);
		return false;
	}
	t->names = calloc(list.count + 1, sizeof(*t->names));
	for (size_t i = 0; t->names && i < list.count; i++) {
		bool is_off = !list.events[i].state && list.events[i].backends & SWITCHABLE;
		char *name = is_off ? strdup(list.events[i].name) : NULL;

		if (name) {
			t->names[t->count++] = name;
		}
	}
	waymark_free_events(&list);
	return t->names;
}

static void switch_names(const struct timer *t, bool on)
{
	struct waymark_error error;

	if (t->count && waymark_set_states((const char *const *)t->names, t->count, SWITCHABLE, on,
				&error) != 0) {
		report(t->text, &error);
	}
}

static void free_timer(struct timer *t)
{
	t->ns = 0; /* first: a fork's child must not use what is freed */
	for (size_t i = 0; i < t->count; i++) {
		free(t->names[i]);
	}
	free(t->names);
	free(t->directory);
	free(t->text);
	*t = (struct timer){ 0 };
}

static void enable_for_a_time(struct reactor *r, const struct fired *f, const struct action *a)
{
	struct timer *t = timer_of(r, f, ACTION_ENABLE);

	if (!t) {
		return;
	}
	if (begin_timer(t, f, ACTION_ENABLE)) {
		if (!list_off(f, a, t)) {
			free_timer(t);
			return;
		}
		switch_names(t, true);
	}
	t->ns = waymark_clock_ns() + a->ns;
}

static void do_snapshot(struct reactor *r, const struct fired *f, const struct action *a)
{
	if (a->ns) {
		snapshot_later(r, f, a);
		return;
	}
	char *directory = directory_of(a, f->snapshots);

	snapshot(f->text, directory);
	free(directory);
}

static void do_stop(struct reactor *r, const struct fired *f, const struct action *a)
{
	(void)r;
	(void)f;
	(void)a;
	waymark_disable("*", SWITCHABLE, NULL, NULL);
}

static void do_enable(struct reactor *r, const struct fired *f, const struct action *a)
{
	struct waymark_error error;

	if (a->ns) {
		enable_for_a_time(r, f, a);
	} else if (waymark_enable(a->text, SWITCHABLE, NULL, &error) != 0) {
		report(f->text, &error);
	}
}

static void do_signal(struct reactor *r, const struct fired *f, const struct action *a)
{
	(void)r;
	(void)f;
	kill(getpid(), a->signal);
}

static void do_disable(struct reactor *r, const struct fired *f, const struct action *a)
{
	struct waymark_error error;

	(void)r;
	if (waymark_disable(a->text, SWITCHABLE, NULL, &error) != 0) {
		report(f->text, &error);
	}
}

static void do_flush(struct reactor *r, const struct fired *f, const struct action *a)
{
	struct waymark_error error;

	(void)r;
	(void)a;
	if (waymark_flush(&error) != 0) {
		report(f->text, &error);
	}
}

/* NULL: the thread that fires does it. */
static void (*const doers[])(struct reactor *r, const struct fired *f, const struct action *a) = {
	[ACTION_SNAPSHOT] = do_snapshot,
	[ACTION_STOP] = do_stop,
	[ACTION_ENABLE] = do_enable,
	[ACTION_DISABLE] = do_disable,
	[ACTION_FLUSH] = do_flush,
	[ACTION_SIGNAL] = do_signal,
	[ACTION_MARK] = NULL,
};

/* ---- Timers ---- */

static void finish(struct timer *t)
{
	if (t->kind == ACTION_ENABLE) {
		switch_names(t, false);
	} else {
		snapshot(t->text, t->directory);
	}
	free_timer(t);
}

/* Does all snapshots that wait, because the process ends. */
static void finish_snapshots(struct reactor *r)
{
	for (struct timer *t = r->timers; t < r->timers + TIMERS_MAX; t++) {
		if (t->ns && t->kind == ACTION_SNAPSHOT) {
			finish(t);
		}
	}
}

static bool has_timers(const struct reactor *r)
{
	const struct timer *t = r->timers;

	while (t < r->timers + TIMERS_MAX && !t->ns) {
		t++;
	}
	return t < r->timers + TIMERS_MAX;
}

/* Does what is due. Returns in how many ns the next one is. */
static uint64_t run_timers(struct reactor *r)
{
	uint64_t next = FUTEX_FOREVER;

	for (struct timer *t = r->timers; t < r->timers + TIMERS_MAX; t++) {
		uint64_t now = waymark_clock_ns();

		if (t->ns && t->ns <= now) {
			finish(t);
		} else if (t->ns && t->ns - now < next) {
			next = t->ns - now;
		}
	}
	return next;
}

/* True if an aggregation is in force. Under the control lock, or in a fork's child. */
static bool aggregates(void)
{
	const struct trigger *t = waymark_trigger_first();

	while (t && !t->aggregates) {
		t = t->next;
	}
	return t;
}

static bool aggregates_now(void)
{
	waymark_lock();
	bool does = aggregates();

	waymark_unlock();
	return does;
}

/* Records the aggregations if it is time. Returns in how many ns it is the next time. */
static uint64_t run_aggregates(struct reactor *r)
{
	uint64_t now = waymark_clock_ns();

	if (!aggregates_now()) {
		return FUTEX_FOREVER;
	}
	if (now - r->aggregates_ns >= AGGREGATES_NS) {
		waymark_aggregates_record();
		r->aggregates_ns = now;
	}
	return r->aggregates_ns + AGGREGATES_NS - now;
}

/* Does what is due. Returns in how many ns something is again. */
static uint64_t run_due(struct reactor *r)
{
	uint64_t timers = run_timers(r);
	uint64_t aggregates = run_aggregates(r);

	return timers < aggregates ? timers : aggregates;
}

/* ---- Firings ---- */

static void copy_actions(struct actions *to, const struct actions *from)
{
	*to = *from;
	for (unsigned int i = 0; i < to->count; i++) {
		to->items[i].text = from->items[i].text ? strdup(from->items[i].text) : NULL;
	}
}

static bool makes_snapshot(const struct actions *a)
{
	for (unsigned int i = 0; i < a->count; i++) {
		if (a->items[i].kind == ACTION_SNAPSHOT) {
			return true;
		}
	}
	return false;
}

/* Returns the trigger whose firing waits for the longest time; NULL: none. Under the control lock.
 */
static struct trigger *oldest_firing(void)
{
	struct trigger *oldest = NULL;

	for (struct trigger *t = waymark_trigger_first(); t; t = t->next) {
		bool is_ready = __atomic_load_n(&t->firing.state, __ATOMIC_ACQUIRE) == FIRING_READY;

		if (is_ready && (!oldest || (int32_t)(t->firing.turn - oldest->firing.turn) < 0)) {
			oldest = t;
		}
	}
	return oldest;
}

/* Takes a firing that is not handled yet. Returns false if there is none. */
static bool take_firing(struct fired *f)
{
	waymark_lock();
	struct trigger *t = oldest_firing();

	if (t) {
		/* Not its state, which calls that fire meanwhile look at. */
		*f = (struct fired){ .text = strdup(t->text),
			.firing = { .turn = t->firing.turn,
				.count = t->firing.count,
				.cursor = t->firing.cursor },
			.snapshots = t->snapshots };
		copy_actions(&f->actions, &t->actions);
		t->snapshots += makes_snapshot(&t->actions);
		__atomic_store_n(&t->firing.state, FIRING_NONE, __ATOMIC_RELEASE);
	}
	waymark_unlock();
	return t;
}

/* A call fires before its event is recorded, so that the trigger comes first in the trace. */
static void wait_for_record(const struct firing *f)
{
	for (uint64_t waited = 0; waited < RECORD_NS; waited += RECORD_STEP_NS) {
		if (__atomic_load_n(&f->cursor->count, __ATOMIC_ACQUIRE) != f->count) {
			return;
		}
		futex_sleep(RECORD_STEP_NS);
	}
}

static void react_to(struct reactor *r, struct fired *f)
{
	wait_for_record(&f->firing);
	for (unsigned int i = 0; i < f->actions.count; i++) {
		const struct action *a = &f->actions.items[i];

		if (doers[a->kind]) {
			doers[a->kind](r, f, a);
		}
	}
	waymark_actions_fini(&f->actions);
	free(f->text);
}

static void *react(void *arg)
{
	struct reactor *r = arg;
	struct fired f;

	waymark_thread_begin();
	prctl(PR_SET_NAME, "waymark-react");
	for (;;) {
		uint32_t turn = waymark_trigger_turn();

		while (take_firing(&f)) {
			react_to(r, &f);
			run_timers(r);
		}
		if (__atomic_load_n(&ending, __ATOMIC_ACQUIRE)) {
			finish_snapshots(r);
			__atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
			futex_wake(&ended);
		}
		waymark_trigger_sleep(turn, run_due(r));
	}
	return NULL;
}

/* ---- The thread ---- */

static void start_blocked(uint32_t before, uint32_t pid)
{
	if (__atomic_compare_exchange_n(
		    &thread_pid, &before, pid, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED) &&
		waymark_thread_start(react, &reactor) != 0) {
		__atomic_store_n(&thread_pid, 0, __ATOMIC_RELEASE);
		waymark_message("cannot start a thread: triggers do nothing");
	}
}

/*
 * In a fork's child the first firing starts the thread, as an event starts the writer (recorder.c),
 * but not in what looks like a signal handler.
 */
static void start(bool is_firing)
{
	uint32_t before = __atomic_load_n(&thread_pid, __ATOMIC_ACQUIRE);
	uint32_t pid = (uint32_t)getpid();
	sigset_t all, saved;

	if (before == pid) {
		return;
	}
	struct process *p = waymark_process();

	if (!p || process_is_borrowed(p) || waymark_jail_is_on() ||
		(is_firing && waymark_may_be_handler())) {
		return;
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	start_blocked(before, pid);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
}

/* What has fired is the parent's to handle; what waits for its time is the child's, too. */
static void in_child(void)
{
	for (struct trigger *t = waymark_trigger_first(); t; t = t->next) {
		__atomic_store_n(&t->firing.state, FIRING_NONE, __ATOMIC_RELAXED);
	}
	if (has_timers(&reactor) || aggregates()) {
		start(false);
	}
}

__attribute__((constructor(101))) static void set_start(void)
{
	waymark_trigger_set_start(start);
	pthread_atfork(NULL, NULL, in_child);
}

/* Before the recorder's destructor. Waits for the thread, which may be making a snapshot. */
__attribute__((destructor)) static void end(void)
{
	uint64_t until = waymark_clock_ns() + END_NS;

	if (__atomic_load_n(&thread_pid, __ATOMIC_ACQUIRE) != (uint32_t)getpid()) {
		return;
	}
	__atomic_store_n(&ending, 1, __ATOMIC_RELEASE);
	waymark_trigger_wake();
	while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE) && waymark_clock_ns() < until) {
		futex_wait(&ended, 0, END_NS);
	}
}
