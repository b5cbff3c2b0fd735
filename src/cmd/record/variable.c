/* SPDX-License-Identifier: MIT */
/*
 * Makes the WAYMARK_TRACE of a recorded program. The request is a single option, so that the
 * program refuses all of it if a part is wrong. It follows the environment's options, since the
 * last file counts, and sets its dialect, since those may have set another one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/regex.h"
#include "cmd/escaped.h"
#include "cmd/record/record.h"
#include "text/nearest.h"

#define VARIABLE "WAYMARK_TRACE"

#define JAIL                                                                                \
	"events of a jail are written by 'waymark drain': start the program with " VARIABLE \
	"='*,file=DIR,jail=COUNT' itself, and then 'waymark drain DIR' (waymark-jail(7))"

/* Keys that cannot be given with --option, and what to do instead. */
static const struct {
	const char *key;
	const char *error;
} taken[] = {
	{ "file", "--option file=: give the trace's name with -o" },
	{ "ctf.file", "--option ctf.file=: give the trace's name with -o" },
	{ "replace", "--option replace=: give --replace" },
	{ "enable", "--option enable=: give a pattern with -e" },
	{ "dialect", "--option dialect=: record always uses the dialect waymark" },
	{ "type", "--option type=: give a pattern with -e" },
	{ "jail", "--option jail=: " JAIL },
	{ "help", "--option help: see waymark-trace(7) for the keys" },
	{ NULL, NULL },
};

static bool is_key(const char *option, const char *key)
{
	size_t n = strlen(key);

	return strncmp(option, key, n) == 0 && (option[n] == '=' || !option[n]);
}

/* True if the environment's variable has the key; `,,` and `;;` belong to a value. */
static bool has_key(const char *text, const char *key)
{
	size_t n = strlen(key);
	bool begins = true;

	for (; *text; text++) {
		if (begins && strncmp(text, key, n) == 0 && text[n] == '=') {
			return true;
		}
		begins = strchr(",;\n", *text);
		if (begins && *text != '\n' && text[1] == *text) {
			begins = false;
			text++;
		}
	}
	return false;
}

/* The runtime's keys in the dialect waymark; the program checks their values. */
static const char *const keys[] = {
#define KEY_both(key) key,
#define KEY_waymark(key) key,
#define KEY_stratovirt(key)
#define WAYMARK_OPTION(key, dialect, take, value, help) KEY_##dialect(key)
#include "rt/control/options.def"
#undef WAYMARK_OPTION
};

/* True if the option's key exists; else sets `error`, with the nearest key. */
static bool check_key(const char *option, char *error, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (is_key(option, keys[i])) {
			return true;
		}
	}
	struct span key = { option, strcspn(option, "=") };
	const char *near = nearest_name(key, keys, ARRAY_SIZE(keys));

	snprintf(error, size, "--option: there is no key '%.*s'; %s%s%s", (int)key.len, option,
		near ? "did you mean '" : "see waymark-trace(7) for the keys", near ? near : "",
		near ? "'?" : "");
	return false;
}

/* Returns why an option cannot be given; NULL if it can. */
static const char *check_option(const char *option)
{
	for (size_t i = 0; taken[i].key; i++) {
		if (is_key(option, taken[i].key)) {
			return taken[i].error;
		}
	}
	if (is_key(option, "backend") && !strstr(option, "ctf") && !strstr(option, "simple")) {
		return "--option backend=: give ctf or simple, too, which write a trace";
	}
	return strchr(option, '=') && option[0] != '=' ? NULL : "--option: it takes KEY=VALUE";
}

static bool has_newline(const struct record_request *w)
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

static bool check_options(const struct record_request *w, char *error, size_t size)
{
	vec_foreach (const char *const *, o, &w->options) {
		const char *why = check_option(*o);

		if (why) {
			snprintf(error, size, "%s", why);
			return false;
		}
		if (!check_key(*o, error, size)) {
			return false;
		}
	}
	return true;
}

/* True if the text is a regular expression; the program checks its length and nesting. */
static bool check_regex(const char *text, char *error, size_t size)
{
	size_t length = strlen(text);
	char why[128] = "the second slash is missing";
	regex_t regex;

	if (length == 2 && text[1] == '/') {
		strcpy(why, "it is empty");
	} else if (length > 2 && text[length - 1] == '/' &&
		   regex_compile(&regex, text + 1, length - 2, why, sizeof(why))) {
		regfree(&regex);
		return true;
	}
	snprintf(error, size, "-e: regular expression '%.80s': %s", text, why);
	return false;
}

static bool check_pattern(const char *pattern, char *error, size_t size)
{
	const char *text = pattern + (*pattern == '-');

	if (!*text) {
		snprintf(error, size, "-e: a pattern is empty");
		return false;
	}
	return *text != '/' || check_regex(text, error, size);
}

bool record_variable_check(const struct record_request *w, char *error, size_t size)
{
	const char *before = getenv(VARIABLE);

	if (before && has_key(before, "jail")) {
		snprintf(error, size, "jail= in " VARIABLE ": " JAIL);
		return false;
	}
	vec_foreach (const char *const *, p, &w->patterns) {
		if (!check_pattern(*p, error, size)) {
			return false;
		}
	}
	if (has_newline(w)) {
		snprintf(error, size,
			"a pattern, option or name has a newline, which " VARIABLE " cannot have");
		return false;
	}
	return check_options(w, error, size);
}

/* Writes a text as a value, with `,` and `;` doubled. */
static void put(FILE *to, const char *text)
{
	for (; *text; text++) {
		putc(*text, to);
		if (*text == ',' || *text == ';') {
			putc(*text, to);
		}
	}
}

static void put_patterns(FILE *to, const struct record_request *w)
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

static bool has_option(const struct record_request *w, const char *key)
{
	bool found = false;

	vec_foreach (const char *const *, o, &w->options) {
		found |= is_key(*o, key);
	}
	return found;
}

/* Returns the separator after the environment's options: a `;` after a single `;` would be text. */
static const char *separator(const char *before)
{
	size_t n = strlen(before);
	size_t last = n;

	while (last > 0 && before[last - 1] == ';') {
		last--;
	}
	return n > 0 && (n - last) % 2 == 0 ? ";" : "";
}

char *record_variable(const struct record_request *w, const char *trace)
{
	const char *before = getenv(VARIABLE);
	char *value = NULL;
	size_t size;
	FILE *to = memory_stream(&value, &size);

	if (before) {
		fprintf(to, "%s%s", before, separator(before));
	}
	/* Writes it as a separate option: a program that does not know it still records. */
	if (!w->has_no_control && !has_option(w, "control") &&
		!(before && has_key(before, "control"))) {
		fputs("dialect=waymark,control=auto;", to);
	}
	fputs("dialect=waymark,", to);
	put_patterns(to, w);
	/* By default, events would go to every backend of the program, including its log. */
	fputs(has_option(w, "backend") ? "" : ",backend=ctf", to);
	vec_foreach (const char *const *, o, &w->options) {
		putc(',', to);
		put(to, *o);
	}
	/* With replace=on, the second program of a script would remove the first one's trace. */
	fputs(before && has_key(before, "replace") ? ",replace=off" : "", to);
	fputs(",file=", to);
	put(to, trace);
	fclose(to);
	return value;
}
