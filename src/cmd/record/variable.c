/* SPDX-License-Identifier: MIT */
/*
 * The WAYMARK_TRACE of a recorded program. What is wished is one option of it, so that an
 * error in a part is told by the program and nothing is recorded half. Behind the
 * options that are there: the last file counts. It says its dialect, since those before
 * may have said another; what the program chooses for its own options goes on to count.
 */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "cmd/record/record.h"
#include "text/nearest.h"

#define VARIABLE "WAYMARK_TRACE"

#define JAIL                                                                                      \
	"'waymark drain' writes what goes into a jail's memory: start the program with " VARIABLE \
	"='*,file=DIR,jail=COUNT' itself, and then 'waymark drain DIR' (waymark-jail(7))"

/* Keys that have an option of ours, and which that is. */
static const struct {
	const char *key;
	const char *error;
} taken[] = {
	{ "file", "--option file=: the trace's name is what -o is for" },
	{ "ctf.file", "--option ctf.file=: the trace's name is what -o is for" },
	{ "replace", "--option replace=: there is --replace" },
	{ "enable", "--option enable=: a pattern is what -e is for" },
	{ "dialect", "--option dialect=: what record says is of the dialect waymark" },
	{ "type", "--option type=: a pattern is what -e is for" },
	{ "jail", "--option jail=: " JAIL },
	{ "help", "--option help: waymark-trace(7) tells the keys" },
	{ NULL, NULL },
};

static bool is_key(const char *option, const char *key)
{
	size_t n = strlen(key);

	return strncmp(option, key, n) == 0 && (option[n] == '=' || !option[n]);
}

/* Whether a key is given in the variable that is there; a `,,` or `;;` is text of a value. */
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

/* Whether one of the backends that are named writes what we can read. */
static bool has_trace(const char *option)
{
	return strstr(option, "ctf") || strstr(option, "simple");
}

/* What the runtime knows in its own dialect, which ours is; a value is for it to check. */
static const char *const keys[] = {
#define KEY_both(key) key,
#define KEY_waymark(key) key,
#define KEY_stratovirt(key)
#define WAYMARK_OPTION(key, dialect, take, value, help) KEY_##dialect(key)
#include "rt/option/options.def"
#undef WAYMARK_OPTION
};

static bool is_known(const char *option)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (is_key(option, keys[i])) {
			return true;
		}
	}
	return false;
}

static void explain_unknown(const char *option, char *error, size_t size)
{
	struct span key = { option, strcspn(option, "=") };
	const char *meant = nearest_name(key, keys, ARRAY_SIZE(keys));

	snprintf(error, size, "--option: there is no key '%.*s'; %s%s%s", (int)key.len, option,
		meant ? "did you mean '" : "waymark-trace(7) tells the keys", meant ? meant : "",
		meant ? "'?" : "");
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

static bool check_options(const struct record_wishes *w, char *error, size_t size)
{
	vec_foreach (const char *const *, o, &w->options) {
		const char *why = check_option(*o);

		if (why) {
			snprintf(error, size, "%s", why);
			return false;
		}
		if (!is_known(*o)) {
			explain_unknown(*o, error, size);
			return false;
		}
	}
	return true;
}

/* Whether it is an expression at all; what of it is beyond the bounds, the program says. */
static bool check_regex(const char *text, char *error, size_t size)
{
	size_t length = strlen(text);
	bool has_end = length > 1 && text[length - 1] == '/';
	char why[128] = "the second slash is missing";
	char *inner = has_end && length > 2 ? strndup(text + 1, length - 2) : NULL;
	regex_t regex;
	int failure = inner ? regcomp(&regex, inner, REG_EXTENDED | REG_NOSUB) : -1;

	if (has_end && !inner) {
		strcpy(why, "it is empty");
	} else if (inner && failure) {
		regerror(failure, &regex, why, sizeof(why));
	} else if (inner) {
		regfree(&regex);
	}
	if (failure) {
		snprintf(error, size, "-e: regular expression '%.80s': %s", text, why);
	}
	free(inner);
	return !failure;
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

bool record_variable_check(const struct record_wishes *w, char *error, size_t size)
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
			"a pattern, option or name with a line's end has no place in " VARIABLE);
		return false;
	}
	return check_options(w, error, size);
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

static bool has_option(const struct record_wishes *w, const char *key)
{
	bool found = false;

	vec_foreach (const char *const *, o, &w->options) {
		found |= is_key(*o, key);
	}
	return found;
}

/* A control= of the user is the only one. */
static bool wants_control(const struct record_wishes *w)
{
	const char *before = getenv(VARIABLE);

	return !w->has_no_control && !has_option(w, "control") &&
	       !(before && has_key(before, "control"));
}

/*
 * What stands between an option that is there and ours: a `;` behind a single one would
 * be a text.
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
	/* An option of its own: a program that does not know it records all the same. */
	fputs(wants_control(w) ? "dialect=waymark,control=auto;" : "", to);
	fputs("dialect=waymark,", to);
	put_patterns(to, w);
	/* Else events would go to each backend that the program has: its log, too. */
	fputs(has_option(w, "backend") ? "" : ",backend=ctf", to);
	vec_foreach (const char *const *, o, &w->options) {
		putc(',', to);
		put(to, *o);
	}
	/* The second program of a script would take the first one's trace away. */
	fputs(before && has_key(before, "replace") ? ",replace=off" : "", to);
	fputs(",file=", to);
	put(to, trace);
	fclose(to);
	return value;
}
