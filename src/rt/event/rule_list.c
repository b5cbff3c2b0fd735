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

int waymark_rules_add(struct waymark_rules *rules, const char *pattern, unsigned int backends,
	struct waymark_error *error)
{
	bool on = *pattern != '-';

	if (!on) {
		pattern++;
	}
	if (*pattern == '\0') {
		return waymark_fail(error, "the name or pattern of an event is missing");
	}
	struct waymark_rule rule = {
		.pattern = strdup(pattern),
		.backends = (uint16_t)backends,
		.on = on,
	};

	if (!rule.pattern || !waymark_rules_reserve(rules, 1)) {
		free(rule.pattern);
		return waymark_fail(error, "out of memory");
	}
	if (waymark_pattern_init(&rule.match, rule.pattern, error) < 0) {
		free(rule.pattern);
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
	if (newer->type != RULE_ALL) {
		return newer->type == older->type;
	}
	return strcmp(newer->pattern, "*") == 0 ||
	       (newer->match.hash == older->match.hash &&
		       strcmp(newer->pattern, older->pattern) == 0);
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

/* The number is bounded, because a client of the monitor could add rules for ever. */
int waymark_rules_check_number(const struct waymark_rules *rules,
	const struct waymark_rules *in_force, struct waymark_error *error)
{
	size_t expressions = count_expressions(rules, NULL);
	bool replaces_all = rules->count == 1 && rules->items[0].type == RULE_ALL &&
			    strcmp(rules->items[0].pattern, "*") == 0;

	if (replaces_all) {
		return 0;
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
