/* SPDX-License-Identifier: MIT */
/*
 * Lists of rules before they are in force: made from an option, checked against the limits. Called
 * by rt/control while it reads an option, and by rule.c.
 */
#include <stdlib.h>
#include <string.h>

#include "rt/host/error.h"
#include "rt/event/rule.h"
#include "rt/event/state.h"

void waymark_rule_fini(struct waymark_rule *r)
{
	waymark_pattern_fini(&r->match);
	waymark_terms_free(r->terms);
	waymark_trigger_free(r->trigger);
	free(r->pattern);
}

void waymark_rules_fini(struct waymark_rules *rules)
{
	for (size_t i = 0; i < rules->count; i++) {
		waymark_rule_fini(&rules->items[i]);
	}
	free(rules->items);
	*rules = (struct waymark_rules){ 0 };
}

bool waymark_rules_reserve(struct waymark_rules *rules, size_t more)
{
	if (rules->count + more <= rules->capacity) {
		return true;
	}
	size_t capacity = 2 * rules->capacity + more + 8;
	struct waymark_rule *items = realloc(rules->items, capacity * sizeof(*items));

	if (!items) {
		return false;
	}
	rules->items = items;
	rules->capacity = capacity;
	return true;
}

/* True if a name of a declared event is followed by what looks like a misspelled limit. */
static bool has_unknown_limit(const char *pattern)
{
	const char *blank = strpbrk(pattern, " :/");

	return blank && *blank == ' ' && strchr(blank, '=');
}

/* Returns what is wrong with the parts of a rule; NULL: nothing. */
static const char *find_fault(const struct rule_text *parts)
{
	if (parts->pattern.length == 0) {
		return "the name or pattern of an event is missing";
	}
	if (parts->actions.text && parts->actions.length == 0) {
		return "a trigger needs an action: when NAME if CONDITION then ACTION";
	}
	if (parts->functions.text && parts->functions.length == 0) {
		return "an aggregation needs a function: aggregate NAME count, sum(FIELD) by FIELD";
	}
	return NULL;
}

/* Fills in the rule's terms and its trigger. Returns 0, or -1. */
static int fill(struct waymark_rule *rule, const char *text, const struct rule_text *parts,
	struct waymark_error *error)
{
	if (has_unknown_limit(rule->pattern)) {
		return waymark_fail(error,
			"'%s': limits after a name are sample=, every=, rate= and first=",
			rule->pattern);
	}
	if (parts->off && !rule_text_watches(parts) &&
		(parts->limits.text || parts->condition.text)) {
		return waymark_fail(
			error, "'%s': what switches off has no condition or limit", text);
	}
	if (waymark_terms_new(&rule->terms, parts, error) < 0) {
		return -1;
	}
	if (rule_text_watches(parts)) {
		rule->trigger = waymark_trigger_new(text + parts->off, parts, rule->terms, error);
		return rule->trigger ? 0 : -1;
	}
	return 0;
}

int waymark_rules_add(struct waymark_rules *rules, const char *text, unsigned int backends,
	struct waymark_error *error)
{
	const struct rule_text parts = waymark_rule_split(text);
	const char *fault = find_fault(&parts);

	if (fault) {
		return waymark_fail(error, "%s", fault);
	}
	struct waymark_rule rule = {
		.pattern = strndup(parts.pattern.text, parts.pattern.length),
		.backends = (uint16_t)backends,
		.on = !parts.off,
	};

	if (!rule.pattern || !waymark_rules_reserve(rules, 1)) {
		free(rule.pattern);
		return waymark_fail(error, "out of memory");
	}
	if (waymark_pattern_init(&rule.match, rule.pattern, error) < 0) {
		free(rule.pattern);
		return -1;
	}
	if (fill(&rule, text, &parts, error) < 0) {
		waymark_rule_fini(&rule);
		return -1;
	}
	rules->items[rules->count++] = rule;
	return 0;
}

int waymark_rules_begin_with(
	struct waymark_rules *rules, enum rule_type type, struct waymark_error *error)
{
	if (waymark_rules_add(rules, "*", WAYMARK_ANY_BACKEND, error) < 0) {
		return -1;
	}
	struct waymark_rule rule = rules->items[--rules->count];

	rule.type = type;
	memmove(rules->items + 1, rules->items, rules->count * sizeof(*rules->items));
	rules->items[0] = rule;
	rules->count++;
	return 0;
}

const char *waymark_rule_name(const struct waymark_rule *r)
{
	static const char *const types[] = {
		[RULE_EVENTS] = "type=events",
		[RULE_SCOPES] = "type=scopes",
	};

	return r->type == RULE_ALL ? r->pattern : types[r->type];
}

bool waymark_rule_covers(const struct waymark_rule *newer, const struct waymark_rule *older)
{
	if (newer->trigger || older->trigger) {
		return newer->trigger && older->trigger &&
		       strcmp(newer->trigger->text, older->trigger->text) == 0;
	}
	bool is_same = newer->match.hash == older->match.hash &&
		       strcmp(newer->pattern, older->pattern) == 0;

	/* The older one decides on events that the newer one's terms do not fit, also later. */
	if (newer->terms && (!older->terms || !is_same)) {
		return false;
	}
	if (newer->type != RULE_ALL) {
		return newer->type == older->type;
	}
	return is_same || strcmp(newer->pattern, "*") == 0;
}

/* True if one of the rules replaces `r`. */
static bool is_covered(const struct waymark_rule *r, const struct waymark_rules *rules)
{
	for (size_t i = 0; i < rules->count; i++) {
		if (waymark_rule_covers(&rules->items[i], r)) {
			return true;
		}
	}
	return false;
}

/*
 * Returns the number of expressions in a list, without those that `newer`, if not NULL, replaces.
 */
static size_t count_expressions(
	const struct waymark_rules *rules, const struct waymark_rules *newer)
{
	size_t count = 0;

	for (size_t i = 0; i < rules->count; i++) {
		const struct waymark_rule *r = &rules->items[i];

		count += r->match.kind == PATTERN_REGEX && !(newer && is_covered(r, newer));
	}
	return count;
}

/* Returns the number of triggers in a list, without those that `newer`, if not NULL, replaces. */
static size_t count_triggers(const struct waymark_rules *rules, const struct waymark_rules *newer)
{
	size_t count = 0;

	for (size_t i = 0; i < rules->count; i++) {
		const struct waymark_rule *r = &rules->items[i];

		count += r->trigger && r->on && !(newer && is_covered(r, newer));
	}
	return count;
}

/* Does the same for pairings, each of which has a table. */
static size_t count_pairings(const struct waymark_rules *rules, const struct waymark_rules *newer)
{
	size_t count = 0;

	for (size_t i = 0; i < rules->count; i++) {
		const struct waymark_rule *r = &rules->items[i];

		count += r->terms && r->terms->pairing && !(newer && is_covered(r, newer));
	}
	return count;
}

/* The number is bounded, because a client of the monitor could add rules for ever. */
int waymark_rules_check_number(const struct waymark_rules *rules,
	const struct waymark_rules *in_force, struct waymark_error *error)
{
	size_t expressions = count_expressions(rules, NULL);
	size_t triggers = count_triggers(rules, NULL) + count_triggers(in_force, rules);
	bool replaces_all = rules->count == 1 && rules->items[0].type == RULE_ALL &&
			    !rules->items[0].trigger && strcmp(rules->items[0].pattern, "*") == 0;

	if (replaces_all) {
		return 0;
	}
	if (count_pairings(rules, NULL) + count_pairings(in_force, rules) > PAIRINGS_MAX) {
		return waymark_fail(error,
			"more than %u elapsed(); switch '*' to remove the earlier ones",
			PAIRINGS_MAX);
	}
	if (triggers > TRIGGERS_MAX) {
		return waymark_fail(error, "more than %u triggers; remove some", TRIGGERS_MAX);
	}
	if (expressions &&
		expressions + count_expressions(in_force, rules) > RULES_EXPRESSIONS_MAX) {
		return waymark_fail(error,
			"more than %u regular expressions; switch '*' to remove the earlier ones",
			RULES_EXPRESSIONS_MAX);
	}
	return rules->count + in_force->count > RULES_MAX
		       ? waymark_fail(error,
				 "more than %u patterns; switch '*' to remove the earlier ones",
				 RULES_MAX)
		       : 0;
}

int waymark_rules_check_refused(const struct waymark_rules *rules, struct waymark_error *error)
{
	for (size_t i = 0; i < rules->count; i++) {
		const struct waymark_rule *r = &rules->items[i];

		if (r->refuses && !r->serves) {
			return waymark_fail(error, EVENT_NOT_SIMPLE, waymark_rule_name(r));
		}
	}
	return 0;
}
