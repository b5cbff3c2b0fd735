/* SPDX-License-Identifier: MIT */
/* See cmd/ctl/monitor_patterns.h. */
#include "cmd/ctl/monitor_patterns.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/glob.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "text/nearest.h"

/* What a regular expression may have in a monitor, its slashes too. */
#define PATTERN_MAX 1026u

/* Of an error that goes on. */
#define SHOWN 500

static PRINTF(2, 3) void *fail(struct monitor_client *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->error, sizeof(c->error), fmt, ap);
	va_end(ap);
	return NULL;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

json_t *monitor_wish_add(json_t *arguments, struct monitor_wish wish)
{
	if (wish.is_of_vcpu) {
		json_object_set_new(arguments, "vcpu", json_integer(wish.vcpu));
	}
	return arguments;
}

static json_t *list_events(struct monitor_client *c, const char *pattern, struct monitor_wish wish)
{
	return client_call(c, "trace-event-get-state",
		monitor_wish_add(json_pack("{s:s}", "name", pattern), wish));
}

static bool is_switchable(const json_t *event)
{
	return strcmp(text_of(event, "state"), "unavailable") != 0;
}

/* Whether a program refuses a name because it has no such event. */
static bool is_unknown(const struct monitor_client *c)
{
	static const char unknown[] = "unknown event";

	return c->failure == CLIENT_REFUSED && strncmp(c->error, unknown, strlen(unknown)) == 0;
}

struct names {
	VEC(char *) all;
};

/* An event's name, and that of its category. */
static void add_name(struct names *names, const char *name)
{
	size_t category = strcspn(name, ":");

	vec_push(&names->all, xstrdup(name));
	if (name[category]) {
		char *copy = xstrdup(name);

		copy[category] = '\0';
		vec_push(&names->all, copy);
	}
}

/* It may be misspelt, or a part of a name: the error gets what was meant. */
static void add_meant(struct monitor_client *c, const char *name)
{
	struct names names = { 0 };
	char why[SHOWN];
	size_t parts = 0;
	json_t *event;
	size_t i;

	snprintf(why, sizeof(why), "%.*s", SHOWN - 1, c->error);
	json_t *events = list_events(c, "*", (struct monitor_wish){ 0 });

	json_array_foreach(events, i, event)
	{
		add_name(&names, text_of(event, "name"));
		parts += strstr(text_of(event, "name"), name) != NULL;
	}
	const char *meant = nearest_name((struct span){ name, strlen(name) },
		(const char *const *)names.all.items, names.all.count);

	if (parts) {
		fail(c, "%s: '*%.100s*' matches %zu event%s", why, name, parts,
			parts == 1 ? "" : "s");
	} else if (meant) {
		fail(c, "%s: did you mean '%s'?", why, meant);
	} else {
		fail(c, "%s", why);
	}
	vec_foreach (char **, it, &names.all) {
		free(*it);
	}
	vec_fini(&names.all);
	json_decref(events);
}

/* Why no event that a pattern meets can be switched. */
static bool fail_unmet(
	struct monitor_client *c, const char *pattern, size_t met, struct monitor_wish wish)
{
	if (met) {
		fail(c,
			"'%s' meets only events that tracers outside switch, as of the backends "
			"dtrace and ust",
			pattern);
	} else if (wish.is_of_vcpu) {
		fail(c, "no event that is of one vCPU matches '%s'", pattern);
	} else {
		fail(c, "no event matches '%s'", pattern);
	}
	return false;
}

static bool check_pattern(struct monitor_client *c, const char *pattern, struct monitor_wish wish)
{
	json_t *events = list_events(c, pattern, wish);
	size_t count = json_array_size(events);
	bool is_good = false;
	size_t i;
	json_t *event;

	if (!events && is_unknown(c)) {
		add_meant(c, pattern);
	}
	if (!events) {
		return false;
	}
	json_array_foreach(events, i, event)
	{
		is_good = is_good || !wish.is_to_switch || is_switchable(event);
	}
	json_decref(events);
	return is_good || fail_unmet(c, pattern, count, wish);
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

/* A name is that of a category, too; in globs there is none. */
static void put_name_or_glob(FILE *out, const char *pattern)
{
	bool may_be_category = !glob_is_pattern(pattern) && !strchr(pattern, ':');

	put_glob(out, pattern);
	fputs(may_be_category ? "(:|$)" : "$", out);
}

/* As a part of a regular expression. */
static void put_pattern(FILE *out, const char *pattern)
{
	size_t length = strlen(pattern);

	putc('(', out);
	if (*pattern == '/') {
		fwrite(pattern + 1, 1, length > 2 ? length - 2 : 0, out);
	} else {
		put_name_or_glob(out, pattern);
	}
	putc(')', out);
}

/* So that all change or none, many patterns are one: an expression with all in it. */
static char *join(struct monitor_client *c, char *const *words, int count)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out) {
		abort();
	}
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
	return fail(c, "so many patterns do not fit into one change: give fewer, or shorter ones "
		       "with *");
}

char *monitor_patterns(
	struct monitor_client *c, char *const *words, int count, struct monitor_wish wish)
{
	for (int i = 0; i < count; i++) {
		if (!check_pattern(c, words[i], wish)) {
			return NULL;
		}
	}
	return count > 1 ? join(c, words, count) : xstrdup(count ? words[0] : "*");
}

const char *monitor_patterns_bad(char *const *words, int count)
{
	for (int i = 0; i < count; i++) {
		if (!*words[i] || utf8_invalid(words[i], strlen(words[i])) < strlen(words[i])) {
			return *words[i] ? "a pattern is no UTF-8" : "a pattern is empty";
		}
	}
	return NULL;
}
