/* SPDX-License-Identifier: MIT */
/* Whether the terms of rules fit the events that match: messages that name those they do not fit.
 */
#include <string.h>

#include "rt/event/registry.h"
#include "rt/event/rule.h"
#include "rt/host/error.h"
#include "rt/host/line.h"

/* Lists the events that match the rule and that its terms do not fit. */
static void list_misfits(const struct waymark_rule *r, struct line *l)
{
	size_t count = 0;

	for (struct waymark_object *o = waymark_registry_first(); o; o = o->next) {
		registry_foreach_event(it, o)
		{
			if (waymark_pattern_matches_text(&r->match, (*it)->name) &&
				!waymark_terms_fit(r->terms, *it, NULL) &&
				++count <= RULES_LISTED) {
				waymark_line_printf(l, "%s%s", count > 1 ? ", " : "", (*it)->name);
			}
		}
	}
	if (count > RULES_LISTED) {
		waymark_line_printf(l, " and %zu more", count - RULES_LISTED);
	}
}

/* Fails with the reason for which the rule's terms do not fit the first of these events. */
static int fail_misfit(const struct waymark_rule *r, struct waymark_error *error)
{
	for (struct waymark_object *o = waymark_registry_first(); o; o = o->next) {
		registry_foreach_event(it, o)
		{
			if (waymark_pattern_matches_text(&r->match, (*it)->name) &&
				!waymark_terms_fit(r->terms, *it, error)) {
				return -1;
			}
		}
	}
	return -1;
}

/*
 * Returns -1 if calls of the loaded event that should begin the rule's pairs cannot. Says in
 * `missing` if no such event is loaded.
 */
static int check_pairing(
	const struct waymark_rule *r, struct waymark_error *missing, struct waymark_error *error)
{
	const struct pairing *p = r->terms ? r->terms->pairing : NULL;
	bool exists = !p;
	unsigned int slot;

	for (struct waymark_object *o = p ? waymark_registry_first() : NULL; o; o = o->next) {
		registry_foreach_event(it, o)
		{
			bool begins = rule_begins_pairs(r, *it);
			bool has_field = !((*it)->flags & WAYMARK_EVENT_SITE) &&
					 waymark_field_slot(*it, p->field, strlen(p->field), &slot);

			exists |= begins;
			if (begins && !has_field) {
				return waymark_fail(error,
					"elapsed(%s by %s): event '%s' has no field '%s'", p->begin,
					p->field, p->begin, p->field);
			}
		}
	}
	if (!exists) {
		waymark_fail(missing, "elapsed(%s by %s): there is no trace event '%s' so far",
			p->begin, p->field, p->begin);
	}
	return 0;
}

/* Names what does not fit an event. */
static const char *what_does(const struct terms *t)
{
	if (!t) {
		return "trigger does";
	}
	if (t->aggregation) {
		return "aggregation does";
	}
	return t->condition ? "condition does" : "limits do";
}

int waymark_rules_check_terms(const struct waymark_rules *rules, struct waymark_error *misfits,
	struct waymark_error *error)
{
	char names[400];
	struct line l;

	for (size_t i = 0; i < rules->count; i++) {
		const struct waymark_rule *r = &rules->items[i];

		if (r->misfits && !r->fits) {
			return fail_misfit(r, error);
		}
		if (check_pairing(r, misfits, error) < 0) {
			return -1;
		}
		if (r->misfits) {
			line_init(&l, names, sizeof(names));
			list_misfits(r, &l);
			waymark_fail(misfits, "'%s': the %s not fit %s", r->pattern,
				what_does(r->terms), names);
		}
	}
	return 0;
}
