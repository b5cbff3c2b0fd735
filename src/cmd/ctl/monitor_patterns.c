/* SPDX-License-Identifier: MIT */
/*
 * Queries the monitor for the events of each pattern first, so that a misspelt one is an error and
 * nothing is switched; then merges all patterns into one, so that all events change or none.
 */
#include "cmd/ctl/monitor_patterns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "cmd/escaped.h"
#include "text/nearest.h"

/* Bytes of the longest regular expression that a monitor accepts, with its slashes. */
#define PATTERN_MAX 1026u

json_t *event_scope_add(json_t *arguments, struct event_scope scope)
{
	if (scope.is_of_vcpu) {
		json_object_set_new(arguments, "vcpu", json_integer(scope.vcpu));
	}
	return arguments;
}

static json_t *list_events(struct monitor_client *c, const char *pattern, struct event_scope scope)
{
	return client_call(c, "trace-event-get-state",
		event_scope_add(json_pack("{s:s}", "name", pattern), scope));
}

struct names {
	VEC(char *) all;
};

/* Adds similar names to the error of an unknown one, which is misspelt or a part of names. */
static void add_similar(struct monitor_client *c, const char *name)
{
	struct names names = { 0 };
	char why[sizeof(c->error)];
	size_t parts = 0;
	json_t *event;
	size_t i;

	strcpy(why, c->error);
	json_t *events = list_events(c, "*", (struct event_scope){ 0 });

	json_array_foreach(events, i, event)
	{
		const char *known = member_text(event, "name", "");

		/* Adds the event's name, and that of its category. */
		size_t category = strcspn(known, ":");

		vec_push(&names.all, xstrdup(known));
		if (known[category]) {
			char *copy = xstrdup(known);

			copy[category] = '\0';
			vec_push(&names.all, copy);
		}
		parts += strstr(known, name) != NULL;
	}
	const char *near = nearest_name((struct span){ name, strlen(name) },
		(const char *const *)names.all.items, names.all.count);

	if (parts) {
		client_fail(c, CLIENT_REFUSED, "%.500s: '*%.100s*' matches %zu event%s", why, name,
			parts, parts == 1 ? "" : "s");
	} else {
		client_fail(c, CLIENT_REFUSED, "%.500s%s%s%s", why, near ? ": did you mean '" : "",
			near ? near : "", near ? "'?" : "");
	}
	vec_foreach (char **, it, &names.all) {
		free(*it);
	}
	vec_fini(&names.all);
	json_decref(events);
}

/* True if an event of the scope matches; else the call fails with the reason. */
static bool check_pattern(struct monitor_client *c, const char *pattern, struct event_scope scope)
{
	json_t *events = list_events(c, pattern, scope);
	size_t count = json_array_size(events);
	bool is_good = false;
	size_t i;
	json_t *event;

	if (!events) {
		if (c->failure == CLIENT_REFUSED && strncmp(c->error, "unknown event", 13) == 0) {
			add_similar(c, pattern);
		}
		return false;
	}
	json_array_foreach(events, i, event)
	{
		is_good |= !scope.is_to_switch ||
			   strcmp(member_text(event, "state", ""), "unavailable") != 0;
	}
	json_decref(events);
	if (is_good) {
		return true;
	}
	return client_fail(c, CLIENT_REFUSED,
		count		   ? "'%s' matches only events that tracers outside the program "
				     "switch, as those of the backends dtrace and ust"
		: scope.is_of_vcpu ? "no event of single vCPUs matches '%s'"
				   : "no event matches '%s'",
		pattern);
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
}

/* Writes a pattern as a part of a regular expression. */
static void put_pattern(FILE *out, const char *pattern)
{
	size_t length = strlen(pattern);

	putc('(', out);
	if (*pattern == '/') {
		fwrite(pattern + 1, 1, length > 2 ? length - 2 : 0, out);
	} else {
		/* A plain name may be an event's or a category's; a glob matches events only. */
		bool may_be_category = !glob_is_pattern(pattern) && !strchr(pattern, ':');

		put_glob(out, pattern);
		fputs(may_be_category ? "(:|$)" : "$", out);
	}
	putc(')', out);
}

static char *join(struct monitor_client *c, char *const *words, int count)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = memory_stream(&text, &size);

	for (int i = 0; i < count; i++) {
		putc(i ? '|' : '/', out);
		put_pattern(out, words[i]);
	}
	putc('/', out);
	fclose(out);
	if (size <= PATTERN_MAX) {
		return text;
	}
	free(text);
	return client_fail(c, CLIENT_REFUSED,
		"the patterns are too long for one change: give fewer, or shorter ones with *");
}

char *monitor_patterns(
	struct monitor_client *c, char *const *words, int count, struct event_scope scope)
{
	for (int i = 0; i < count; i++) {
		if (!check_pattern(c, words[i], scope)) {
			return NULL;
		}
	}
	return count > 1 ? join(c, words, count) : xstrdup(count ? words[0] : "*");
}

const char *monitor_patterns_bad(char *const *words, int count)
{
	for (int i = 0; i < count; i++) {
		if (!*words[i] || utf8_invalid(words[i], strlen(words[i])) < strlen(words[i])) {
			return *words[i] ? "a pattern is not UTF-8" : "a pattern is empty";
		}
	}
	return NULL;
}
