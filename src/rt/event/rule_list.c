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
	waymark_condition_free(r->condition);
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

size_t waymark_rule_split(const char *text, const char **condition)
{
	/* A regular expression may have blanks: it ends with its second slash. */
	size_t begin = *text == '-';
	const char *slash = text[begin] == '/' ? strchr(text + begin + 1, '/') : NULL;
	const char *end = slash ? slash : text;
	const char *word = strstr(end, " if ");

	*condition = NULL;
	if (!word) {
		return strlen(text);
	}
	size_t length = (size_t)(word - text);

	while (length > 0 && text[length - 1] == ' ') {
		length--;
	}
	*condition = word + strlen(" if ");
	return length;
}

/* Adds the condition to a rule that switches on. Returns 0, or -1. */
static int add_condition(
	struct waymark_rule *rule, const char *condition, struct waymark_error *error)
{
	if (!condition) {
		return 0;
	}
	if (!rule->on) {
		return waymark_fail(error, "'-%s if %s': what switches off has no condition",
			rule->pattern, condition);
	}
	rule->condition = waymark_condition_new(condition, error);
	return rule->condition ? 0 : -1;
}

int waymark_rules_add(struct waymark_rules *rules, const char *pattern, unsigned int backends,
	struct waymark_error *error)
{
	const char *condition;
	bool on = *pattern != '-';
	size_t length = waymark_rule_split(pattern, &condition);

	if (!on) {
		pattern++;
		length--;
	}
	if (length == 0) {
		return waymark_fail(error, "the name or pattern of an event is missing");
	}
	struct waymark_rule rule = {
		.pattern = strndup(pattern, length),
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
	if (add_condition(&rule, condition, error) < 0) {
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
	/* The older one decides on where the newer one's condition does not fit. */
	if (newer->misfits && !older->condition) {
		return false;
	}
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
