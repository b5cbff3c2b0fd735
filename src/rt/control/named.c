/* SPDX-License-Identifier: MIT */
/*
 * Switches the events in a list of names, without a rule, so that objects that are loaded later are
 * not affected: waymark_set_states() and waymark_set_states_under() of waymark/control.h. Thousands
 * of names take one sort, and one search for each loaded event.
 */
#include <stdlib.h>
#include <string.h>

#include "rt/control/declare.h"
#include "rt/control/list.h"
#include "rt/event/decision.h"
#include "rt/event/own.h"
#include "rt/event/registry.h"
#include "rt/event/rule.h"
#include "rt/event/state.h"
#include "rt/host/error.h"
#include "rt/host/lock.h"

/* Terms that a program keeps: those of the one rule, which is never in force. */
struct waymark_terms {
	struct waymark_rules rules;
};

/* Terms with an elapsed() that are open: each has a table. Under the control lock. */
static unsigned int open_pairings;

struct named {
	const char **names;
	size_t count;
	unsigned int on;
	unsigned int off;
	bool is_under; /* `on` is under these terms: */
	const struct terms *terms; /* NULL: those that each event had last */
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_named(const struct named *n, const struct waymark_event *event)
{
	return bsearch(&event->name, n->names, n->count, sizeof(*n->names), by_name) != NULL;
}

/* ---- Terms ---- */

static bool has_text(const struct decision *d, const struct terms *t)
{
	const char *condition = t->condition ? expr_text(t->condition) : "";
	const char *limits = t->limits ? t->limits->text : "";

	return strcmp(decision_condition(d), condition) == 0 &&
	       strcmp(decision_limits(d), limits) == 0;
}

/* The backends for which the event is, or will be, on without terms. */
static unsigned int without_terms(const struct named *n, const struct waymark_event *event)
{
	const struct decision *d = waymark_decision_in_force(event);
	bool differs = n->terms && d && !has_text(d, n->terms);

	return n->on & (differs ? n->on : state_get(event) & ~state_get_conditional(event));
}

/* True if the terms must become those of the event, which has none. */
static bool needs_terms(const struct named *n, const struct waymark_event *event)
{
	return n->terms && !waymark_decision_in_force(event) &&
	       n->on & state_switchable(event) & ~without_terms(n, event);
}

/* Decides which of the backends are under terms; needs_terms() have them by now. */
static struct switching switching_of(const struct named *n, const struct waymark_event *event)
{
	struct switching s = { .on = n->on, .off = n->off };

	if (n->is_under && event->id && waymark_decided[event->id] &&
		waymark_decided[event->id]->decision) {
		s.conditional = n->on & (n->terms ? ~without_terms(n, event) : n->on);
	}
	return s;
}

/* ---- Events ---- */

/*
 * Gives the events the ids that recording and terms need. Returns false if memory or ids ran out.
 * Under the lock.
 */
static bool prepare_named(const struct named *n)
{
	bool done = true;

	for (struct waymark_object *o = waymark_registry_first(); o; o = o->next) {
		registry_foreach_event(it, o)
		{
			done &= !is_named(n, *it) ||
				(waymark_entry_prepare(*it, n->on) &&
					(!n->is_under || waymark_entry_id(*it)));
		}
	}
	return done;
}

/*
 * Gives the events the terms, which decide nothing before the events are switched. Returns false if
 * memory ran out. Under the lock.
 */
static bool set_terms(const struct named *n)
{
	bool done = true;

	for (struct waymark_object *o = waymark_registry_first(); o && n->terms; o = o->next) {
		registry_foreach_event(it, o)
		{
			done &= !is_named(n, *it) || !needs_terms(n, *it) ||
				waymark_decision_set(*it, n->terms);
		}
	}
	return done;
}

/* The backends that some of the events will be on for. Under the lock. */
static unsigned int wanted_of(const struct named *n)
{
	unsigned int backends = 0;

	for (struct waymark_object *o = waymark_registry_first(); o; o = o->next) {
		registry_foreach_event(it, o)
		{
			backends |= is_named(n, *it) ? n->on & state_switchable(*it) : 0;
		}
	}
	return backends;
}

/* Under the lock, after prepare_named(), so it cannot fail. */
static void switch_named(const struct named *n)
{
	for (struct waymark_object *o = waymark_registry_first(); o; o = o->next) {
		registry_foreach_event(it, o)
		{
			if (is_named(n, *it)) {
				waymark_registry_switch(*it, switching_of(n, *it));
			}
		}
	}
}

static bool prepare_only(const struct named *n, unsigned int *backends)
{
	waymark_lock();
	bool done = prepare_named(n) && (!n->terms || !n->terms->limits || waymark_own_prepare());

	*backends = wanted_of(n);
	waymark_unlock();
	return done;
}

/*
 * Declares the events in the trace before they are on. The declaration takes the lock itself, so
 * objects may be loaded meanwhile, and the events are prepared again.
 */
static bool change_named(const struct named *n)
{
	if (n->on) {
		unsigned int backends;

		if (!prepare_only(n, &backends)) {
			return false;
		}
		waymark_declare_identified(backends);
	}
	waymark_lock();
	waymark_retired_collect();
	bool done = prepare_named(n) && set_terms(n);

	if (done) {
		switch_named(n);
	}
	waymark_registry_unlock();
	return done;
}

/* Sets `n->names`, switches, and frees them. */
static int set_states(struct named *n, const char *const *names, struct waymark_error *error)
{
	error_clear(error);
	if (n->count == 0) {
		return 0;
	}
	n->names = malloc(n->count * sizeof(*n->names));
	if (!n->names) {
		return waymark_fail(error, "out of memory");
	}
	memcpy(n->names, names, n->count * sizeof(*names));
	qsort(n->names, n->count, sizeof(*n->names), by_name);
	bool done = change_named(n);

	free(n->names);
	return done ? 0 : waymark_fail(error, "nothing is switched: memory or event ids ran out");
}

int waymark_set_states(const char *const *names, size_t count, unsigned int backends, bool on,
	struct waymark_error *error)
{
	struct named n = { .count = count, .on = on ? backends : 0, .off = on ? 0 : backends };

	return set_states(&n, names, error);
}

int waymark_set_states_under(const struct waymark_terms *terms, const char *const *names,
	size_t count, unsigned int backends, struct waymark_error *error)
{
	struct named n = {
		.count = count,
		.on = backends,
		.is_under = true,
		.terms = terms ? terms->rules.items[0].terms : NULL,
	};

	return set_states(&n, names, error);
}

/* ---- Opening terms ---- */

/* Makes calls of the loaded events that begin pairs known to the elapsed() of the terms. */
static int watch_pairs(const struct waymark_rule *r, struct waymark_error *error)
{
	bool done = true;

	if (!r->terms->pairing) {
		return 0;
	}
	waymark_lock();
	bool is_room = open_pairings < PAIRINGS_MAX;

	for (struct waymark_object *o = waymark_registry_first(); o && is_room; o = o->next) {
		registry_foreach_event(it, o)
		{
			done &= !rule_begins_pairs(r, *it) ||
				(waymark_entry_id(*it) && waymark_own_prepare() &&
					waymark_pairing_watch(r->terms->pairing, *it));
		}
	}
	if (is_room && !done) {
		waymark_pairing_unwatch(r->terms->pairing);
	}
	r->terms->pairing->is_held = is_room && done;
	open_pairings += is_room && done;
	waymark_registry_unlock();
	if (!is_room) {
		return waymark_fail(error, "more than %u elapsed(); close some", PAIRINGS_MAX);
	}
	return done ? 0 : waymark_fail(error, "out of memory");
}

/* Parses the rule, and checks it with the events that match. Returns 0, or -1. */
static int fill_terms(struct waymark_terms *t, const char *rule, struct waymark_match *match,
	struct waymark_error *error)
{
	if (waymark_rules_add(&t->rules, rule, WAYMARK_ANY_BACKEND, error) < 0) {
		return -1;
	}
	const struct waymark_rule *r = &t->rules.items[0];

	if (!r->on || r->trigger || !r->terms) {
		return waymark_fail(error, "'%s' has no condition or limit", rule);
	}
	return waymark_rules_prepare(&t->rules, match, error);
}

struct waymark_terms *waymark_open_terms(const char *rule, struct waymark_event_list *list,
	struct waymark_match *match, struct waymark_error *error)
{
	struct waymark_terms *t = calloc(1, sizeof(*t));

	error_clear(error);
	*list = (struct waymark_event_list){ 0 };
	if (!t) {
		waymark_fail(error, "out of memory");
		return NULL;
	}
	if (fill_terms(t, rule, match, error) == 0 &&
		waymark_list_fitting(&t->rules.items[0], list, error) == 0 &&
		watch_pairs(&t->rules.items[0], error) == 0) {
		return t;
	}
	waymark_free_events(list);
	waymark_rules_fini(&t->rules);
	free(t);
	return NULL;
}

void waymark_close_terms(struct waymark_terms *t)
{
	if (!t) {
		return;
	}
	const struct pairing *p = t->rules.items[0].terms->pairing;

	if (p) {
		waymark_lock();
		waymark_pairing_unwatch(p);
		open_pairings--;
		waymark_registry_unlock();
	}
	waymark_rules_fini(&t->rules);
	free(t);
}
