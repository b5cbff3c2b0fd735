/* SPDX-License-Identifier: MIT */
/* Lists of rules, before they are in force; rule.c is about those that are. */
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "rt/host/error.h"
#include "rt/event/rule.h"

uint32_t waymark_rule_hash(const char *s)
{
	uint32_t h = UINT32_C(2166136261);

	for (; *s; s++) {
		h = (h ^ (unsigned char)*s) * UINT32_C(16777619);
	}
	return h;
}

void waymark_rules_fini(struct waymark_rules *rules)
{
	for (size_t i = 0; i < rules->count; i++) {
		free(rules->items[i].pattern);
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
	char *copy = strdup(pattern);

	if (!copy || !waymark_rules_reserve(rules, 1)) {
		free(copy);
		return waymark_fail(error, "out of memory");
	}
	rules->items[rules->count++] = (struct waymark_rule){
		.pattern = copy,
		.hash = waymark_rule_hash(copy),
		.backends = (uint16_t)backends,
		.on = on,
		.exact = !glob_is_pattern(copy),
	};
	return 0;
}
