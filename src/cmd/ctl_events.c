/* SPDX-License-Identifier: MIT */
/* Commands of `waymark ctl` about events. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/memory.h"
#include "cmd/ctl.h"
#include "cmd/escaped.h"

/* What a regular expression may have in a monitor, its slashes too. */
#define PATTERN_MAX 1026u

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static bool is_switchable(const json_t *event)
{
	return strcmp(text_of(event, "state"), "unavailable") != 0;
}

/* Why no event that a pattern meets can be switched; all of them are in `events`. */
static bool fail_unmet(struct ctl *ctl, const char *pattern, size_t met)
{
	if (met) {
		ctl_fail(ctl,
			"'%s' meets only events that tracers outside switch, as of the backends "
			"dtrace and ust",
			pattern);
	} else {
		ctl_fail(ctl, "no event matches '%s'", pattern);
	}
	return false;
}

static bool check_pattern(struct ctl *ctl, const char *pattern, bool is_to_switch)
{
	json_t *events =
		ctl_call(ctl, "trace-event-get-state", json_pack("{s:s}", "name", pattern));
	size_t count = json_array_size(events);
	bool is_good = false;
	size_t i;
	json_t *event;

	if (!events) {
		return false;
	}
	json_array_foreach(events, i, event)
	{
		is_good = is_good || !is_to_switch || is_switchable(event);
	}
	json_decref(events);
	return is_good || fail_unmet(ctl, pattern, count);
}

static void put_glob(FILE *out, const char *glob)
{
	putc('^', out);
	for (; *glob; glob++) {
		if (*glob == '*') {
			fputs(".*", out);
		} else if (*glob == '?') {
			putc('.', out);
		} else {
			fprintf(out, strchr(".[\\()+{|^$", *glob) ? "\\%c" : "%c", *glob);
		}
	}
	putc('$', out);
}

/* As a part of a regular expression. */
static void put_pattern(FILE *out, const char *pattern)
{
	size_t length = strlen(pattern);

	putc('(', out);
	if (*pattern == '/') {
		fwrite(pattern + 1, 1, length > 2 ? length - 2 : 0, out);
	} else {
		put_glob(out, pattern);
	}
	putc(')', out);
}

/* So that all change or none, many patterns are one: an expression with all in it. */
static char *join(struct ctl *ctl)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out) {
		abort();
	}
	for (int i = 0; i < ctl->count; i++) {
		putc(i ? '|' : '/', out);
		put_pattern(out, ctl->words[i]);
	}
	putc('/', out);
	fclose(out);
	if (size <= PATTERN_MAX) {
		return text;
	}
	free(text);
	ctl_fail(ctl,
		"so many patterns do not fit into one change: give fewer, or shorter ones with *");
	return NULL;
}

char *ctl_pattern(struct ctl *ctl, bool is_to_switch)
{
	for (int i = 0; i < ctl->count; i++) {
		if (!check_pattern(ctl, ctl->words[i], is_to_switch)) {
			return NULL;
		}
	}
	return ctl->count > 1 ? join(ctl) : xstrdup(ctl->count ? ctl->words[0] : "*");
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
	char *pattern = ctl_pattern(ctl, false);
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
	char *pattern = ctl_pattern(ctl, true);
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
