/* SPDX-License-Identifier: MIT */
/* Commands of `waymark ctl` about events. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "cmd/ctl/ctl.h"
#include "cmd/ctl/monitor_patterns.h"
#include "cmd/escaped.h"

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

static struct monitor_wish wish_of(const struct ctl *ctl)
{
	return (struct monitor_wish){ .is_of_vcpu = ctl->has_vcpu, .vcpu = ctl->vcpu };
}

json_t *ctl_list(struct ctl *ctl)
{
	struct monitor_wish wish = wish_of(ctl);
	char *pattern = monitor_patterns(&ctl->client, ctl->words, ctl->count, wish);
	json_t *events =
		pattern ? ctl_call(ctl, "trace-event-get-state",
				  monitor_wish_add(json_pack("{s:s}", "name", pattern), wish))
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

static const char *why_none(const struct ctl *ctl)
{
	if (ctl->only_on) {
		return "no event that matches is on";
	}
	return ctl->has_vcpu ? "it has no events that are of one vCPU" : "it has no events";
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
		fprintf(stderr, "waymark ctl: %s\n", why_none(ctl));
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
	struct monitor_wish wish = wish_of(ctl);

	wish.is_to_switch = true;
	char *pattern = monitor_patterns(&ctl->client, ctl->words, ctl->count, wish);

	if (!pattern) {
		return NULL;
	}
	json_t *arguments = json_pack("{s:s, s:b, s:b}", "name", pattern, "enable", on,
		"ignore-unavailable", has_wildcard(ctl));

	free(pattern);
	return ctl_call(ctl, "trace-event-set-state", monitor_wish_add(arguments, wish));
}

json_t *ctl_on(struct ctl *ctl)
{
	return switch_events(ctl, true);
}

json_t *ctl_off(struct ctl *ctl)
{
	return switch_events(ctl, false);
}
