/* SPDX-License-Identifier: MIT */
/* Commands of `waymark ctl` about events. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "cmd/ctl.h"
#include "cmd/escaped.h"
#include "cmd/monitor_patterns.h"

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* Leaves only those that are on. */
static void drop_off(json_t *events)
{
	for (size_t i = json_array_size(events); i-- > 0;) {
		if (strcmp(text_of(json_array_get(events, i), "state"), "enabled") != 0) {
			json_array_remove(events, i);
		}
	}
}

json_t *ctl_list(struct ctl *ctl)
{
	char *pattern = monitor_patterns(&ctl->client, ctl->words, ctl->count, false);
	json_t *events = pattern ? ctl_call(ctl, "trace-event-get-state",
					   json_pack("{s:s}", "name", pattern))
				 : NULL;

	free(pattern);
	if (ctl->only_on) {
		drop_off(events);
	}
	return events;
}

/* Words that people know, for those of QMP. */
static const char *short_state(const char *state)
{
	static const char *const words[][2] = {
		{ "enabled", "on" },
		{ "disabled", "off" },
		{ "unavailable", "outside" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		state = strcmp(state, words[i][0]) == 0 ? words[i][1] : state;
	}
	return state;
}

void ctl_print_list(const struct ctl *ctl, const json_t *result)
{
	size_t i;
	json_t *event;

	json_array_foreach(result, i, event)
	{
		if (!ctl->only_names) {
			escaped_printf(stdout, "%-8s", short_state(text_of(event, "state")));
		}
		escaped_put(stdout, text_of(event, "name"));
		putchar('\n');
	}
	if (!json_array_size(result) && !ctl->only_names) {
		fprintf(stderr, "waymark ctl: %s\n",
			ctl->only_on ? "no event that matches is on" : "it has no events");
	}
}

static bool has_wildcard(const struct ctl *ctl)
{
	for (int i = 0; i < ctl->count; i++) {
		if (glob_is_pattern(ctl->words[i]) || ctl->words[i][0] == '/') {
			return true;
		}
	}
	return ctl->count > 1;
}

static json_t *switch_events(struct ctl *ctl, bool on)
{
	char *pattern = monitor_patterns(&ctl->client, ctl->words, ctl->count, true);
	json_t *result = pattern ? ctl_call(ctl, "trace-event-set-state",
					   json_pack("{s:s, s:b, s:b}", "name", pattern, "enable",
						   on, "ignore-unavailable", has_wildcard(ctl)))
				 : NULL;

	free(pattern);
	return result;
}

json_t *ctl_on(struct ctl *ctl)
{
	return switch_events(ctl, true);
}

json_t *ctl_off(struct ctl *ctl)
{
	return switch_events(ctl, false);
}
