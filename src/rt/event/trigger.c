/* SPDX-License-Identifier: MIT */
/* Triggers: see trigger.h. */
#include <stdlib.h>
#include <string.h>

#include "expr/program.h"
#include "rt/event/decision.h"
#include "rt/event/registry.h"
#include "rt/event/state.h"
#include "rt/event/trigger.h"
#include "rt/host/error.h"
#include "rt/host/futex.h"

/* Futex: counts firings; by release. */
static uint32_t turn;

/* Written once, by a constructor. */
static void (*start_thread)(bool is_firing);

/* In force. Under the control lock. */
static struct trigger *triggers;

/* Watches of events whose calls begin pairs. Under the control lock. */
static size_t pairing_watches;

/* ---- Triggers ---- */

void waymark_trigger_free(struct trigger *t)
{
	if (t) {
		waymark_actions_fini(&t->actions);
		free(t->limits);
		waymark_pairing_release(t->pairing);
		free(t);
	}
}

struct trigger *waymark_trigger_new(const char *text, const struct rule_text *parts,
	const struct terms *terms, struct waymark_error *error)
{
	const struct limits *limits = terms ? terms->limits : NULL;
	struct trigger *t = calloc(1, sizeof(*t) + strlen(text) + 1);

	if (!t) {
		waymark_fail(error, "out of memory");
		return NULL;
	}
	strcpy(t->text, text);
	t->limits = limits ? waymark_limits_copy(limits) : NULL;
	t->pairing = waymark_pairing_use(terms ? terms->pairing : NULL);
	t->aggregates = parts->functions.text;
	if (limits && limits->sample) {
		waymark_fail(error, "'%s': triggers have no sample=", text);
	} else if (limits && !t->limits) {
		waymark_fail(error, "out of memory");
	} else if (t->aggregates ||
		   waymark_actions_parse(&t->actions, parts->actions.text, error) == 0) {
		return t;
	}
	waymark_trigger_free(t);
	return NULL;
}

void waymark_trigger_add(struct trigger *t)
{
	struct trigger **place = &triggers;

	while (*place) {
		place = &(*place)->next;
	}
	t->next = NULL;
	*place = t;
	if (t->aggregates) {
		waymark_trigger_wake(); /* from now on the thread records it from time to time */
	}
}

struct trigger *waymark_trigger_first(void)
{
	return triggers;
}

/* ---- Triggers of an event ---- */

static void release_watch(struct retired *r)
{
	struct watch *w = (struct watch *)r;

	if (w->program != &expr_always) {
		expr_program_free((struct expr_program *)w->program);
	}
	waymark_fields_fini(&w->fields);
	waymark_pairing_release(w->pairing);
	waymark_aggregation_release(w->aggregate.aggregation);
	free(w);
}

static void release_watches(struct retired *r)
{
	free(r);
}

static void release_trigger(struct retired *r)
{
	waymark_trigger_free((struct trigger *)r);
}

/* Makes a watch of a trigger, or, without one, of calls that begin a pair. */
static struct watch *watch_new(struct trigger *t, struct pairing *p)
{
	struct watch *w = calloc(1, sizeof(*w));

	if (w) {
		w->program = &expr_always;
		w->trigger = t;
		w->pairing = waymark_pairing_use(p);
	}
	return w;
}

/* Compiles the condition. Returns false if it does not fit, or memory ran out. */
static bool fill_condition(struct watch *w, const struct expr *condition)
{
	struct expr_error why;
	struct expr_program *p = waymark_condition_compile(condition, &w->fields, &why);

	w->program = p ? p : w->program;
	return p;
}

static bool fill_aggregate(struct watch *w, struct aggregation *a)
{
	w->aggregate.index = w->trigger->aggregation;
	w->aggregate.aggregation = waymark_aggregation_use(a);
	return waymark_aggregation_bind(a, &w->fields, &w->aggregate, NULL);
}

/* Returns false if the terms do not fit, or memory ran out. */
static bool fill_watch(
	struct watch *w, const struct terms *terms, const struct waymark_event *event)
{
	if (w->pairing && !waymark_field_named(event, w->pairing->field, &w->paired)) {
		return false;
	}
	if (!terms) {
		return true;
	}
	if (!waymark_terms_fields(terms, event, &w->fields)) {
		return false;
	}
	bool fits = (!terms->condition || fill_condition(w, terms->condition)) &&
		    (!terms->aggregation || fill_aggregate(w, terms->aggregation));

	w->fields.event = NULL; /* it may be unloaded */
	return fits;
}

/* Returns the place of a watch; NULL: there is none. Without trigger and pairing: a free place. */
static struct watch **find_watch(
	struct watches *all, const struct trigger *t, const struct pairing *p)
{
	for (size_t i = 0; all && i < all->count; i++) {
		const struct watch *w = all->items[i];

		if (w ? w->trigger == t && (t || w->pairing == p) : !t && !p) {
			return &all->items[i];
		}
	}
	return NULL;
}

/* Returns the watches of the event with that id; NULL: none. */
static struct watches *watches_at(uint32_t id)
{
	return waymark_decided[id] ? waymark_decided[id]->watches : NULL;
}

/* Returns a free place in the event's list, which is made longer if it has none; NULL: no memory.
 */
static struct watch **take_place(uint32_t id)
{
	struct watches *old = watches_at(id);
	struct watch **free_place = find_watch(old, NULL, NULL);
	size_t count = old ? old->count : 0;

	if (free_place) {
		return free_place;
	}
	if (!waymark_decided_prepare(id)) {
		return NULL;
	}
	struct watches *new = calloc(1, sizeof(*new) + (2 * count + 1) * sizeof(new->items[0]));

	if (!new) {
		return NULL;
	}
	new->count = 2 * count + 1;
	for (size_t i = 0; i < count; i++) {
		new->items[i] = old->items[i];
	}
	waymark_decided_watch(id, new);
	if (old) {
		waymark_retire(&old->retired, release_watches);
	}
	return &new->items[count];
}

/* Gives the event a watch. Frees it, and returns false, if memory ran out. */
static bool add_watch(struct watch *w, const struct waymark_event *event)
{
	struct watch **place = take_place(event->id);

	if (!place) {
		release_watch(&w->retired);
		return false;
	}
	/* Release: pairs with watch_at(). */
	__atomic_store_n(place, w, __ATOMIC_RELEASE);
	waymark_decided_watch(event->id, watches_at(event->id));
	state_watch(event, true);
	return true;
}

static bool watch(struct watch *w, const struct terms *terms, const struct waymark_event *event)
{
	if (!w || !fill_watch(w, terms, event)) {
		if (w) {
			release_watch(&w->retired);
		}
		return false;
	}
	return add_watch(w, event);
}

bool waymark_trigger_watch(
	struct trigger *t, const struct terms *terms, const struct waymark_event *event)
{
	if (find_watch(watches_at(event->id), t, NULL)) {
		state_watch(event, true); /* its object was loaded again */
		return true;
	}
	return watch(watch_new(t, terms ? terms->pairing : NULL), terms, event);
}

bool waymark_pairing_watch(struct pairing *p, const struct waymark_event *event)
{
	if (find_watch(watches_at(event->id), NULL, p)) {
		state_watch(event, true);
		return true;
	}
	bool is_added = watch(watch_new(NULL, p), NULL, event);

	pairing_watches += is_added;
	return is_added;
}

static void unwatch(uint32_t id, const struct trigger *t, const struct pairing *p)
{
	struct watches *all = watches_at(id);
	struct watch **place = find_watch(all, t, p);
	bool is_empty = true;

	if (!all || !place) {
		return;
	}
	pairing_watches -= !t;
	waymark_retire(&(*place)->retired, release_watch);
	__atomic_store_n(place, NULL, __ATOMIC_RELEASE);
	for (size_t i = 0; i < all->count; i++) {
		is_empty &= !all->items[i];
	}
	waymark_decided_watch(id, is_empty ? NULL : all);
	if (is_empty) {
		waymark_retire(&all->retired, release_watches);
	}
}

/* Events without triggers are no longer decided because of them. */
static void update_states(void)
{
	for (struct waymark_object *o = waymark_registry_first(); o; o = o->next) {
		registry_foreach_event(it, o)
		{
			if ((*it)->id && state_is_watched(*it) && !watches_at((*it)->id)) {
				state_watch(*it, false);
			}
		}
	}
}

static void unwatch_all(const struct trigger *t, const struct pairing *p)
{
	for (uint32_t id = 1; id < REGISTRY_IDS_MAX; id++) {
		unwatch(id, t, p);
	}
	update_states();
}

void waymark_pairing_unwatch(const struct pairing *p)
{
	unwatch_all(NULL, p);
}

/* Returns true if it is in the condition of an event. */
static bool is_decided(const struct pairing *p)
{
	for (uint32_t id = 1; id < REGISTRY_IDS_MAX; id++) {
		const struct decided *d = waymark_decided[id];

		if (d && d->decision && d->decision->pairing == p &&
			waymark_conditional[id] & ~STATE_WATCHED) {
			return true;
		}
	}
	return false;
}

/* Returns a pairing that calls of the event with that id begin for nobody; NULL: none. */
static const struct pairing *unused_pairing(
	uint32_t id, bool (*is_in_rule)(const struct pairing *p))
{
	const struct watches *all = watches_at(id);

	for (size_t i = 0; all && i < all->count; i++) {
		const struct watch *w = all->items[i];

		if (w && !w->trigger && !w->pairing->is_held && !is_in_rule(w->pairing) &&
			!is_decided(w->pairing)) {
			return w->pairing;
		}
	}
	return NULL;
}

void waymark_pairing_collect(bool (*is_in_rule)(const struct pairing *p))
{
	const struct pairing *p;
	bool is_changed = false;

	for (uint32_t id = 1; pairing_watches && id < REGISTRY_IDS_MAX; id++) {
		while ((p = unused_pairing(id, is_in_rule))) {
			unwatch(id, NULL, p);
			is_changed = true;
		}
	}
	if (is_changed) {
		update_states();
	}
}

void waymark_trigger_remove(struct trigger *t)
{
	struct trigger **place = &triggers;

	while (*place && *place != t) {
		place = &(*place)->next;
	}
	if (*place) {
		*place = t->next;
	}
	unwatch_all(t, NULL);
	waymark_retire(&t->retired, release_trigger);
}

/* ---- Whether a call fires ---- */

static bool is_turn(struct trigger *t)
{
	uint32_t every = t->limits->every;

	return !every || __atomic_fetch_add(&t->calls, 1, __ATOMIC_RELAXED) % every == 0;
}

/* One state of the rate for all threads. */
static bool is_in_rate(struct trigger *t)
{
	uint64_t before = __atomic_load_n(&t->next_ns, __ATOMIC_RELAXED);
	uint64_t next;

	if (!t->limits->interval_ns) {
		return true;
	}
	do {
		next = before;
		if (!limits_rate(t->limits, waymark_clock_ns(), &next)) {
			return false;
		}
	} while (!__atomic_compare_exchange_n(
		&t->next_ns, &before, next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return true;
}

bool waymark_trigger_passes(struct trigger *t)
{
	return !t->limits || (is_turn(t) && is_in_rate(t) && limits_first(t->limits, &t->passed));
}

/* ---- Firing ---- */

/* True if some action needs a lock, so that control's thread does it. */
static bool needs_control(const struct actions *a)
{
	for (unsigned int i = 0; i < a->count; i++) {
		if (a->items[i].kind != ACTION_MARK) {
			return true;
		}
	}
	return false;
}

void waymark_trigger_fire(struct trigger *t, const struct waymark_cursor *cursor)
{
	uint32_t none = FIRING_NONE;

	__atomic_fetch_add(&t->fired, 1, __ATOMIC_RELAXED);
	if (!needs_control(&t->actions)) {
		return;
	}
	start_thread(true);
	/* While a firing is not handled, further ones only count. */
	if (!__atomic_compare_exchange_n(&t->firing.state, &none, FIRING_FILLED, false,
		    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		return;
	}
	t->firing.cursor = cursor;
	t->firing.turn = waymark_trigger_turn();
	t->firing.count = __atomic_load_n(&cursor->count, __ATOMIC_RELAXED);
	__atomic_store_n(&t->firing.state, FIRING_READY, __ATOMIC_RELEASE);
	waymark_trigger_wake();
}

void waymark_trigger_wake(void)
{
	__atomic_fetch_add(&turn, 1, __ATOMIC_RELEASE);
	futex_wake(&turn);
}

uint32_t waymark_trigger_turn(void)
{
	return __atomic_load_n(&turn, __ATOMIC_ACQUIRE);
}

void waymark_trigger_sleep(uint32_t before, uint64_t ns)
{
	futex_wait(&turn, before, ns);
}

void waymark_trigger_set_start(void (*start)(bool is_firing))
{
	start_thread = start;
}

void waymark_trigger_start(void)
{
	start_thread(false);
}
