/* SPDX-License-Identifier: MIT */
/*
 * The rules in force, and the events that they switch. Their number is bounded by the number of
 * different patterns, however often they are switched: a rule that later ones replace is dropped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "rt/host/error.h"
#include "rt/host/line.h"
#include "rt/host/lock.h"
#include "rt/host/message.h"
#include "base/nearest.h"
#include "rt/event/own.h"
#include "rt/event/registry.h"
#include "rt/event/rule.h"
#include "rt/event/site.h"
#include "rt/event/state.h"
#include "rt/event/vcpu.h"

/* Under the control lock. */
static struct waymark_rules in_force;

/* What a list of rules decides for one event. */
struct verdict {
	struct switching s;
	const struct terms *terms; /* of s.conditional */
	bool matched;
	bool watched; /* a trigger watches it, or its calls begin pairs */
};

/* Returns false if the rule's terms do not fit the event, or no trigger fits it. */
static bool fits(struct waymark_rule *r, const struct waymark_event *event)
{
	if (!r->terms && !r->trigger) {
		return true;
	}
	bool does = waymark_terms_fit(r->terms, event, NULL);

	r->fits |= does;
	r->misfits |= !does;
	return does;
}

/* Adds what a rule decides. */
static void decide(struct verdict *v, const struct waymark_rule *r)
{
	unsigned int backends = r->backends;

	v->s.on = r->on ? v->s.on | backends : v->s.on & ~backends;
	v->s.off = r->on ? v->s.off & ~backends : v->s.off | backends;
	v->s.conditional &= ~backends;
	if (r->terms) {
		v->s.conditional |= backends;
		v->terms = r->terms;
	}
}

static struct verdict judge(struct waymark_rules *rules, const struct waymark_event *event)
{
	struct verdict v = { 0 };
	const struct pattern_name name = waymark_pattern_name(event->name);
	bool is_scope = event->flags & WAYMARK_EVENT_SCOPE;

	for (size_t i = 0; i < rules->count; i++) {
		struct waymark_rule *r = &rules->items[i];

		bool is_of_type = r->type == RULE_ALL || is_scope == (r->type == RULE_SCOPES);

		v.watched |= rule_begins_pairs(r, event);

		if (!is_of_type || !waymark_pattern_matches(&r->match, &name)) {
			continue;
		}
		if (!fits(r, event)) {
			continue;
		}
		v.matched = r->matched = true;
		if (r->trigger) {
			v.watched |= r->on;
			continue;
		}
		r->serves |= r->backends & state_switchable(event);
		r->refuses |= r->on && r->backends & event->backends & ~event_backends(event);
		decide(&v, r);
	}
	return v;
}

/* Gives the event the id that its backends or its terms need; false if it gets none. */
static bool prepare(struct waymark_event *event, const struct verdict *v)
{
	bool is_decided = v->s.conditional & state_switchable(event) || v->watched;

	return waymark_entry_prepare(event, v->s.on) && (!is_decided || waymark_entry_id(event));
}

/*
 * Gives ids to the events that will be recorded. Under the control lock, as for the functions
 * below.
 */
static int prepare_all(
	struct waymark_rules *rules, struct waymark_match *match, struct waymark_error *error)
{
	size_t without_id = 0;

	*match = (struct waymark_match){ 0 };
	for (struct waymark_object *o = waymark_registry_first(); o; o = o->next) {
		registry_foreach_event(it, o)
		{
			struct verdict v = judge(rules, *it);

			match->events += v.matched;
			match->unsupported += v.matched && !v.watched &&
					      !((v.s.on | v.s.off) & state_switchable(*it));
			without_id += (v.matched || v.watched) && !prepare(*it, &v);
		}
	}
	if (without_id) {
		return waymark_fail(error,
			"nothing is switched: memory or ids ran out for %zu of %zu events",
			without_id, match->events);
	}
	return waymark_rules_check_terms(rules, &match->misfits, error) < 0
		       ? -1
		       : waymark_rules_check_refused(rules, error);
}

/* Switches an event; one whose terms find no memory stays as it is. */
static void switch_event(struct waymark_event *event, const struct verdict *v)
{
	if (!(v->s.conditional & state_switchable(event)) ||
		(waymark_entry_id(event) && waymark_decision_set(event, v->terms))) {
		waymark_registry_switch(event, v->s);
	}
}

/* Sets what watches an event; what finds no memory does not. */
static void watch_event(const struct waymark_rules *rules, struct waymark_event *event)
{
	const struct pattern_name name = waymark_pattern_name(event->name);

	if (!waymark_entry_id(event) || !waymark_own_prepare()) {
		return;
	}
	for (size_t i = 0; i < rules->count; i++) {
		const struct waymark_rule *r = &rules->items[i];

		if (rule_begins_pairs(r, event)) {
			waymark_pairing_watch(r->terms->pairing, event);
		}
		if (r->trigger && r->on && waymark_pattern_matches(&r->match, &name) &&
			waymark_terms_fit(r->terms, event, NULL)) {
			__atomic_store_n(&r->trigger->backends, r->backends, __ATOMIC_RELAXED);
			waymark_trigger_watch(r->trigger, r->terms, event);
		}
	}
}

/* Applies rules to the events of one object. An event that gets no id is not recorded. */
static void apply(struct waymark_rules *rules, struct waymark_object *object)
{
	registry_foreach_event(it, object)
	{
		struct verdict v = judge(rules, *it);

		if (v.matched && (v.s.on | v.s.off)) {
			switch_event(*it, &v);
		}
		if (v.watched) {
			watch_event(rules, *it);
		}
	}
}

static void identify(
	struct waymark_rules *rules, const struct waymark_object *object, unsigned int backends)
{
	registry_foreach_event(it, object)
	{
		if (judge(rules, *it).s.on & state_switchable(*it) & backends) {
			waymark_entry_id(*it);
		}
	}
}

/* True if a rule makes the runtime record its own events. */
static bool reports(const struct waymark_rules *rules)
{
	for (size_t i = 0; i < rules->count; i++) {
		const struct waymark_rule *r = &rules->items[i];

		if (r->trigger || (r->terms && r->terms->limits)) {
			return true;
		}
	}
	return false;
}

void waymark_rules_identify(struct waymark_rules *rules, unsigned int backends)
{
	waymark_lock();
	if (reports(rules)) {
		waymark_own_prepare();
	}
	for (struct waymark_object *o = waymark_registry_first(); o; o = o->next) {
		identify(rules, o, backends);
	}
	waymark_unlock();
}

void waymark_rules_identify_in(struct waymark_object *object, unsigned int backends)
{
	waymark_lock();
	identify(&in_force, object, backends);
	waymark_unlock();
}

static unsigned int want(
	struct waymark_rules *rules, const struct waymark_object *object, unsigned int backends)
{
	unsigned int wanted = 0;

	registry_foreach_event(it, object)
	{
		unsigned int of_event = state_switchable(*it) & backends & ~wanted;

		if (of_event) {
			wanted |= judge(rules, *it).s.on & of_event;
		}
	}
	return wanted;
}

unsigned int waymark_rules_want(struct waymark_rules *rules, unsigned int backends)
{
	unsigned int wanted = 0;

	waymark_lock();
	for (struct waymark_object *o = waymark_registry_first(); o; o = o->next) {
		wanted |= want(rules, o, backends & ~wanted);
	}
	waymark_unlock();
	return wanted;
}

unsigned int waymark_rules_want_in(const struct waymark_object *object, unsigned int backends)
{
	waymark_lock();
	unsigned int wanted = want(&in_force, object, backends);

	waymark_unlock();
	return wanted;
}

/* Takes a rule out of force. */
static void retire(struct waymark_rule *r)
{
	if (r->trigger) {
		waymark_trigger_remove(r->trigger);
		r->trigger = NULL; /* threads may still use it */
	}
	waymark_rule_fini(r);
}

/*
 * Removes the backends of `newer` from older rules that it covers; drops rules left without
 * backends.
 */
static void supersede(const struct waymark_rule *newer)
{
	size_t kept = 0;

	for (size_t i = 0; i < in_force.count; i++) {
		struct waymark_rule *r = &in_force.items[i];

		if (waymark_rule_covers(newer, r)) {
			r->backends &= r->trigger ? 0 : (uint16_t)~newer->backends;
		}
		if (r->backends == 0) {
			retire(r);
			continue;
		}
		in_force.items[kept++] = *r;
	}
	in_force.count = kept;
}

static void put_into_force(struct waymark_rule *r)
{
	supersede(r);
	if (r->trigger && !r->on) {
		waymark_rule_fini(r); /* it has taken one out of force */
		return;
	}
	if (r->trigger) {
		waymark_trigger_add(r->trigger);
	}
	in_force.items[in_force.count++] = *r;
}

static bool is_in_rule(const struct pairing *p)
{
	for (size_t i = 0; i < in_force.count; i++) {
		const struct terms *t = in_force.items[i].terms;

		if (t && t->pairing == p) {
			return true;
		}
	}
	return false;
}

/* Returns -1 if a rule should take a trigger out of force that is not. */
static int check_removed(const struct waymark_rules *rules, struct waymark_error *error)
{
	for (size_t i = 0; i < rules->count; i++) {
		const struct waymark_rule *r = &rules->items[i];
		size_t k = 0;

		if (!r->trigger || r->on) {
			continue;
		}
		while (k < in_force.count && !waymark_rule_covers(r, &in_force.items[k])) {
			k++;
		}
		if (k == in_force.count) {
			return waymark_fail(error, "there is no trigger '%s'", r->trigger->text);
		}
	}
	return 0;
}

/* Gives aggregations, which fit an event, their numbers. Returns -1 if there are too many. */
static int number_aggregations(const struct waymark_rules *rules, struct waymark_error *error)
{
	for (size_t i = 0; i < rules->count; i++) {
		const struct waymark_rule *r = &rules->items[i];

		if (!r->trigger || !r->trigger->aggregates || !r->on) {
			continue;
		}
		r->trigger->aggregation = waymark_aggregation_index(r->terms->aggregation);
		if (r->trigger->aggregation == AGGREGATIONS_MAX) {
			return waymark_fail(error,
				"there were %u different aggregations in this process; there cannot be more",
				AGGREGATIONS_MAX);
		}
	}
	return 0;
}

/* All steps that can fail come first. Under the control lock. */
static int commit(
	struct waymark_rules *rules, struct waymark_match *match, struct waymark_error *error)
{
	waymark_retired_collect();
	if (waymark_rules_check_number(rules, &in_force, error) < 0 ||
		check_removed(rules, error) < 0) {
		return -1;
	}
	if (prepare_all(rules, match, error) < 0) {
		return -1;
	}
	if (number_aggregations(rules, error) < 0) {
		return -1;
	}
	if (!waymark_rules_reserve(&in_force, rules->count)) {
		return waymark_fail(error, "out of memory");
	}
	for (struct waymark_object *o = waymark_registry_first(); o; o = o->next) {
		apply(rules, o);
	}
	for (size_t i = 0; i < rules->count; i++) {
		put_into_force(&rules->items[i]);
	}
	rules->count = 0;
	waymark_pairing_collect(is_in_rule);
	return 0;
}

int waymark_rules_commit(
	struct waymark_rules *rules, struct waymark_match *match, struct waymark_error *error)
{
	struct waymark_match ignored;

	waymark_lock();
	int result = commit(rules, match ? match : &ignored, error);

	waymark_registry_unlock();
	return result;
}

int waymark_rules_prepare(
	struct waymark_rules *rules, struct waymark_match *match, struct waymark_error *error)
{
	struct waymark_match ignored;

	waymark_lock();
	int result = prepare_all(rules, match ? match : &ignored, error);

	waymark_unlock();
	return result;
}

void waymark_rules_match(struct waymark_rules *rules)
{
	waymark_lock();
	for (struct waymark_object *o = waymark_registry_first(); o; o = o->next) {
		registry_foreach_event(it, o)
		{
			judge(rules, *it);
		}
	}
	waymark_unlock();
}

bool waymark_rules_register(struct waymark_object *object)
{
	waymark_lock();
	bool is_new = waymark_registry_add(object);

	if (is_new) {
		apply(&in_force, object);
	}
	waymark_registry_unlock();
	return is_new;
}

/* Returns the event or category whose name is nearest to a rule's. Under the control lock. */
static struct nearest nearest_event(const char *name)
{
	struct nearest best = nearest_begin(name, strlen(name));

	for (struct waymark_object *o = waymark_registry_first(); o; o = o->next) {
		registry_foreach_event(it, o)
		{
			nearest_offer(&best, (*it)->name);
			if ((*it)->flags & WAYMARK_EVENT_SITE && site_of(*it)->category) {
				nearest_offer(&best, site_of(*it)->category->name);
			}
		}
	}
	return best;
}

bool waymark_rules_suggest(const char *name, char *text, size_t size)
{
	waymark_lock();
	struct nearest best = nearest_event(name);
	bool is_near = nearest_is_near(&best);

	if (is_near) {
		snprintf(text, size, "%s", best.name);
	}
	waymark_unlock();
	return is_near;
}

/* Under the control lock. */
static void print_unmatched(struct line *l, const struct waymark_rule *r)
{
	struct nearest best = nearest_begin(r->pattern, strlen(r->pattern));

	if (rule_is_exact(r)) {
		best = nearest_event(r->pattern);
	}
	waymark_line_printf(l, "'%s'", waymark_rule_name(r));
	if (nearest_is_near(&best)) {
		waymark_line_printf(l, " (did you mean '%s'?)", best.name);
	}
}

/* Lists the names in `l`; returns their number. Under the control lock. */
static size_t list_unmatched(struct line *l)
{
	size_t unmatched = 0;

	for (size_t i = 0; i < in_force.count; i++) {
		struct waymark_rule *r = &in_force.items[i];

		if (r->ask && !r->matched && !r->misfits && ++unmatched <= RULES_LISTED) {
			waymark_line_printf(l, "%s", unmatched > 1 ? ", " : "");
			print_unmatched(l, r);
		}
		r->ask = false;
	}
	return unmatched;
}

static NOINLINE void report_refused(void)
{
	struct waymark_error refusal;

	waymark_lock();
	bool refused = waymark_rules_check_refused(&in_force, &refusal) < 0;

	waymark_unlock();
	if (refused) {
		waymark_message("WAYMARK_TRACE: %s", refusal.text);
	}
}

static NOINLINE void report_misfits(void)
{
	struct waymark_error says = { "" };

	waymark_lock();
	waymark_rules_check_terms(&in_force, &says, &says);
	waymark_unlock();
	if (*says.text) {
		waymark_message("WAYMARK_TRACE: %s", says.text);
	}
}

void waymark_rules_report_unmatched(void)
{
	char names[800];
	struct line l;

	line_init(&l, names, sizeof(names));
	waymark_lock();
	size_t unmatched = list_unmatched(&l);

	waymark_unlock();
	report_refused();
	report_misfits();
	if (unmatched > RULES_LISTED) {
		waymark_line_printf(&l, " and %zu more", unmatched - RULES_LISTED);
	}
	if (unmatched > 0) {
		waymark_message("WAYMARK_TRACE: no such trace event%s so far: %s",
			unmatched > 1 ? "s" : "", names);
	}
}
