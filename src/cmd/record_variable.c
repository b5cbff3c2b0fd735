/* SPDX-License-Identifier: MIT */
/*
 * The WAYMARK_TRACE of a recorded program. What is wished is one option of it, so that an
 * error in a part is told by the program and nothing is recorded half. Behind the
 * options that are there: the last file counts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/record.h"

#define VARIABLE "WAYMARK_TRACE"

/* Keys that have an option of ours, and which that is. */
static const struct {
	const char *key;
	const char *error;
} taken[] = {
	{ "file", "--option file=: the trace's name is what -o is for" },
	{ "ctf.file", "--option ctf.file=: the trace's name is what -o is for" },
	{ "replace", "--option replace=: there is --replace" },
	{ "enable", "--option enable=: a pattern is what -e is for" },
	{ "help", "--option help: waymark-trace(7) tells the keys" },
	{ NULL, NULL },
};

static bool is_key(const char *option, const char *key)
{
	size_t n = strlen(key);

	return strncmp(option, key, n) == 0 && (option[n] == '=' || !option[n]);
}

/* Whether one of the backends that are named writes what we can read. */
static bool has_trace(const char *option)
{
	return strstr(option, "ctf") || strstr(option, "simple");
}

static const char *check_option(const char *option)
{
	for (size_t i = 0; taken[i].key; i++) {
		if (is_key(option, taken[i].key)) {
			return taken[i].error;
		}
	}
	if (is_key(option, "backend") && !has_trace(option)) {
		return "--option backend=: ctf or simple must be in it, which have a trace";
	}
	return strchr(option, '=') && option[0] != '=' ? NULL : "--option: it takes KEY=VALUE";
}

static bool has_newline(const struct record_wishes *w)
{
	bool found =
		strchr(w->folder, '\n') || strchr(w->trace, '\n') || strchr(w->program[0], '\n');

	vec_foreach (const char *const *, p, &w->patterns) {
		found |= strchr(*p, '\n') != NULL;
	}
	vec_foreach (const char *const *, o, &w->options) {
		found |= strchr(*o, '\n') != NULL;
	}
	return found;
}

bool record_variable_check(const struct record_wishes *w, const char **error)
{
	*error = NULL;
	vec_foreach (const char *const *, o, &w->options) {
		*error = *error ? *error : check_option(*o);
	}
	vec_foreach (const char *const *, p, &w->patterns) {
		*error = **p ? *error : "-e: a pattern is empty";
	}
	if (has_newline(w)) {
		*error = "a pattern, option or name with a line's end has no place in " VARIABLE;
	}
	return !*error;
}

/* A text as it stands in a value: what would end it twice. */
static void put(FILE *to, const char *text)
{
	for (; *text; text++) {
		putc(*text, to);
		if (*text == ',' || *text == ';') {
			putc(*text, to);
		}
	}
}

static void put_patterns(FILE *to, const struct record_wishes *w)
{
	bool only_off = true;

	vec_foreach (const char *const *, p, &w->patterns) {
		only_off &= **p == '-';
	}
	fputs(only_off ? "enable=*" : "", to);
	const char *between = only_off ? "," : "";

	vec_foreach (const char *const *, p, &w->patterns) {
		fprintf(to, "%senable=", between);
		put(to, *p);
		between = ",";
	}
}

/* Without it, events would go to each backend that the program has: its log, too. */
static bool names_backend(const struct record_wishes *w)
{
	bool found = false;

	vec_foreach (const char *const *, o, &w->options) {
		found |= is_key(*o, "backend");
	}
	return found;
}

/* What stands between an option that is there and ours: a `;` behind a single one would be a text.
 */
static const char *separator(const char *before)
{
	size_t n = strlen(before);
	size_t last = n;

	while (last > 0 && before[last - 1] == ';') {
		last--;
	}
	return n > 0 && (n - last) % 2 == 0 ? ";" : "";
}

char *record_variable(const struct record_wishes *w, const char *trace)
{
	const char *before = getenv(VARIABLE);
	char *value = NULL;
	size_t size;
	FILE *to = open_memstream(&value, &size);

	if (!to) {
		abort();
	}
	if (before) {
		fprintf(to, "%s%s", before, separator(before));
	}
	put_patterns(to, w);
	fputs(names_backend(w) ? "" : ",backend=ctf", to);
	vec_foreach (const char *const *, o, &w->options) {
		putc(',', to);
		put(to, *o);
	}
	fputs(",file=", to);
	put(to, trace);
	fclose(to);
	return value;
}
