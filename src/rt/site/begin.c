/* SPDX-License-Identifier: MIT */
/*
 * WAYMARK_BEGIN() and WAYMARK_END(): a stack of open scopes for each thread.
 *
 *	an END ends the last open BEGIN of its category on its thread, whether or not it is on top;
 *	without such a BEGIN it does nothing
 *	a BEGIN that is off is pushed too, so that its END finds it, but only above one that is on:
 *	when the last BEGIN that is on ends, the stack is emptied
 *	a BEGIN that does not fit is lost, counted and reported; while all of these have the same
 *	category, their ENDs can be matched; otherwise the stack is emptied, so that no scope is
 *	ever ended by the END of another
 *
 * A signal handler ends the scopes that it begins, and sees only complete entries. A scope that a
 * thread leaves open when it exits stays open in the trace, and WAYMARK_LIVE() does not count it. A
 * fork's child continues with the forking thread's stack and counts only that. A child of a raw
 * clone(2) keeps the parent's counts. Open scopes of a plug-in are dropped when it is unloaded, see
 * waymark_site_is_loaded().
 */
#include <pthread.h>
#include <string.h>

#include "base/compiler.h"
#include "rt/event/registry.h"
#include "rt/host/message.h"
#include "rt/record/process.h"
#include "rt/record/recorder.h"
#include "rt/site/record.h"

#define DEPTH_MAX 32u

/*
 * Keys with a lower number have their values in the thread. For values of later keys the C library
 * may allocate, which a signal handler must not do.
 */
#define KEYS_IN_THREAD 32u

struct begun {
	const struct waymark_event *event; /* NULL: it has ended */
	uint64_t token; /* 0: off */
};

#define THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))

/* Number of entries, and of the BEGINs beyond DEPTH_MAX that did not fit. */
__thread uint32_t waymark_site_depth __attribute__((tls_model("initial-exec")));

static THREAD_LOCAL struct begun stack[DEPTH_MAX];
static THREAD_LOCAL uint32_t on; /* number of entries that are on */
static THREAD_LOCAL const struct waymark_category *deeper; /* category of the lost BEGINs */
static THREAD_LOCAL bool is_watched; /* thread_exit() will be called */
static THREAD_LOCAL uint32_t
	removals; /* count of removed objects when all entries were last known to be loaded */

/* Set by a constructor. */
static pthread_key_t exit_key;
static bool exit_key_valid;

static struct waymark_category *category_of(const struct waymark_event *event)
{
	return site_of(event)->category;
}

/* Compares names, because each object has its own categories. */
static bool is_same(const struct waymark_category *a, const struct waymark_category *b)
{
	return a == b || strcmp(a->name, b->name) == 0;
}

static uint32_t entries(void)
{
	return waymark_site_depth < DEPTH_MAX ? waymark_site_depth : DEPTH_MAX;
}

static void count_live(const struct waymark_event *event, int64_t change)
{
	__atomic_fetch_add(&category_of(event)->live, change, __ATOMIC_RELAXED);
}

/* Empties the stack; no end of its scopes is recorded. */
static void give_up(void)
{
	for (uint32_t i = 0; i < entries(); i++) {
		if (stack[i].event && stack[i].token) {
			count_live(stack[i].event, -1);
		}
		stack[i].event = NULL;
	}
	on = 0;
	waymark_site_depth = 0;
}

/* Removes entries that have ended from the top of the stack. */
static void trim(void)
{
	while (waymark_site_depth > 0 && waymark_site_depth <= DEPTH_MAX &&
		!stack[waymark_site_depth - 1].event) {
		waymark_site_depth--;
	}
}

/*
 * Removes entries whose object was unloaded. Finds all of them before it changes any, so that a
 * signal handler in between sees complete entries.
 */
static COLD void forget_unloaded(
	bool is_loaded(const struct waymark_event *event, uint32_t removals))
{
	uint32_t now = waymark_registry_removals();
	bool some_removed = removals != now;
	bool gone[DEPTH_MAX] = { false };

	for (uint32_t i = 0; i < entries(); i++) {
		gone[i] = stack[i].event && !is_loaded(stack[i].event, removals);
	}
	for (uint32_t i = 0; i < entries(); i++) {
		if (gone[i]) {
			stack[i].event = NULL;
			on -= stack[i].token != 0;
		}
	}
	removals = now;
	if (on == 0 || (some_removed && waymark_site_depth > DEPTH_MAX)) {
		give_up(); /* `deeper` may be unloaded as well */
	}
	trim();
}

/* Call before reading an entry of the stack. */
static inline void drop_unloaded(void)
{
	if (UNLIKELY(removals != waymark_registry_removals())) {
		forget_unloaded(waymark_site_is_loaded);
	}
}

static ALIGNS_STACK void thread_exit(void *unused)
{
	(void)unused;
	is_watched = false;
	drop_unloaded();
	give_up();
}

static void watch_thread(void)
{
	if (!is_watched && exit_key_valid &&
		(exit_key < KEYS_IN_THREAD || !waymark_may_be_handler())) {
		is_watched = pthread_setspecific(exit_key, stack) == 0;
	}
}

/* ---- Too deep ---- */

static void lose(const struct waymark_event *event, unsigned int backends)
{
	static struct once reported;

	for (int k = 0; k < WAYMARK_RECORDERS; k++) {
		if (backends & (1u << k)) {
			waymark_recorder_lose((enum waymark_recorder)k, event->id);
			waymark_recorder_lose((enum waymark_recorder)k, event->end->id);
		}
	}
	if (once(&reported)) {
		waymark_notice(waymark_process(),
			"more than %u of WAYMARK_BEGIN() are open on a thread: the deeper ones "
			"are lost",
			DEPTH_MAX);
	}
}

static COLD void begin_too_deep(const struct waymark_event *event)
{
	const struct waymark_category *category = category_of(event);

	if (waymark_site_depth == DEPTH_MAX) {
		deeper = category;
	}
	if (is_same(deeper, category)) {
		waymark_site_depth++;
	} else {
		give_up();
	}
}

/* ---- What call sites call ---- */

bool waymark_site_may_begin(waymark_site_pointer *site)
{
	if (LIKELY(waymark_site_depth < DEPTH_MAX)) {
		return true;
	}
	drop_unloaded();
	if (waymark_site_depth < DEPTH_MAX) {
		return true;
	}
	lose(*site, site_backends(site));
	begin_too_deep(*site);
	return false;
}

void waymark_site_begun(waymark_site_pointer *site, uint64_t token)
{
	if (waymark_site_depth == 0) {
		removals = waymark_registry_removals();
	} else if (UNLIKELY(waymark_site_depth >= DEPTH_MAX)) {
		drop_unloaded();
	}
	if (token) {
		watch_thread();
		count_live(*site, 1);
		on++;
	}
	if (UNLIKELY(waymark_site_depth >= DEPTH_MAX)) {
		begin_too_deep(*site);
	} else if (on) {
		uint32_t at = waymark_site_depth++;

		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		stack[at].token = token;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		stack[at].event = *site;
	}
}

/* Returns the last open scope of the category; NULL if there is none. */
static struct begun *find(const struct waymark_category *category)
{
	for (uint32_t i = entries(); i > 0; i--) {
		struct begun *b = &stack[i - 1];

		if (b->event && is_same(category_of(b->event), category)) {
			return b;
		}
	}
	return NULL;
}

static void take_out(struct begun *b)
{
	b->event = NULL;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (b->token && --on == 0) {
		give_up(); /* only scopes that are off are left */
	}
	trim();
}

void waymark_site_end(const struct waymark_category *category)
{
	drop_unloaded();
	if (UNLIKELY(waymark_site_depth > DEPTH_MAX) && is_same(deeper, category)) {
		waymark_site_depth--;
		trim();
		return;
	}
	struct begun *b = find(category);

	if (b) {
		struct begun ended = *b;

		take_out(b);
		if (ended.token) {
			waymark_site_leave_event(ended.event, ended.token);
			count_live(ended.event, -1);
		}
	}
}

/* ---- Forks ---- */

static void clear_live(const struct waymark_object *object)
{
	registry_foreach_event(it, object)
	{
		struct waymark_category *category =
			(*it)->flags & WAYMARK_EVENT_SITE ? site_of(*it)->category : NULL;

		if (category && category->live) {
			category->live = 0;
		}
	}
}

static bool is_in_child(const struct waymark_event *event, uint32_t unused)
{
	(void)unused;
	return waymark_registry_has(event);
}

/* The child has one thread. The control lock is held around a fork. */
static void in_child(void)
{
	forget_unloaded(is_in_child);
	for (struct waymark_object *o = waymark_registry_first(); o; o = o->next) {
		clear_live(o);
	}
	for (uint32_t i = 0; i < entries(); i++) {
		if (stack[i].event && stack[i].token) {
			count_live(stack[i].event, 1);
		}
	}
}

__attribute__((constructor(101))) static void watch_threads(void)
{
	exit_key_valid = pthread_key_create(&exit_key, thread_exit) == 0;
	pthread_atfork(NULL, NULL, in_child);
}
