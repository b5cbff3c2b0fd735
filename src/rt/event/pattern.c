/* SPDX-License-Identifier: MIT */
/*
 * Patterns for event names: compiles and matches them. Called by rules, iterators and option code,
 * with or without the control lock; never by an event.
 */
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/regex.h"
#include "rt/event/pattern.h"
#include "rt/host/error.h"

struct pattern_name waymark_pattern_name(const char *text)
{
	struct pattern_name name = { .text = text, .hash = UINT32_C(2166136261) };

	for (const char *s = text; *s; s++) {
		if (*s == ':' && name.category == 0) {
			name.category = (size_t)(s - text);
			name.category_hash = name.hash;
		}
		name.hash = (name.hash ^ (unsigned char)*s) * UINT32_C(16777619);
	}
	if (name.category == 0) {
		name.category_hash = name.hash;
	}
	return name;
}

/* Compiles `length` bytes; NULL with the reason if that fails. */
static regex_t *compile(const char *text, size_t length, struct waymark_error *error)
{
	regex_t *regex = malloc(sizeof(*regex));
	char why[128] = "out of memory";

	if (regex && regex_compile(regex, text, length, why, sizeof(why))) {
		return regex;
	}
	waymark_fail(error, "%s", why);
	free(regex);
	return NULL;
}

/*
 * Reads an expression that is plain text, perhaps with `^` before or `$` after it. Returns false if
 * it is not.
 */
static bool read_part(struct pattern *p, const char *text, size_t length)
{
	p->at_begin = *text == '^';
	p->part = text + p->at_begin;
	p->part_length = length - p->at_begin;
	p->at_end = p->part_length > 0 && text[length - 1] == '$';
	p->part_length -= p->at_end;
	return p->part_length > 0 && strcspn(p->part, ".[\\()*+?{|^$") >= p->part_length;
}

/* Reads the expression between the slashes. Returns 0, or -1 with the reason. */
static int read_regex(
	struct pattern *p, const char *text, size_t length, struct waymark_error *error)
{
	if (length == 0) {
		return waymark_fail(error, "it is empty");
	}
	if (length > REGEX_BYTES_MAX) {
		return waymark_fail(error, "it has more than %u bytes", REGEX_BYTES_MAX);
	}
	if (read_part(p, text, length)) {
		p->kind = PATTERN_PART;
		return 0;
	}
	p->regex =
		waymark_regex_check(text, length, error) == 0 ? compile(text, length, error) : NULL;
	return p->regex ? 0 : -1;
}

static int init_regex(struct pattern *p, const char *text, struct waymark_error *error)
{
	size_t length = strlen(text);
	struct waymark_error reason;

	if (length < 2 || text[length - 1] != '/') {
		return waymark_fail(error,
			"'%.80s': a regular expression has a slash at each end; the second one is "
			"missing",
			text);
	}
	return read_regex(p, text + 1, length - 2, &reason) == 0
		       ? 0
		       : waymark_fail(error, "regular expression '%.80s': %s", text, reason.text);
}

static enum pattern_kind kind_of(const char *text)
{
	return *text == '/' ? PATTERN_REGEX : glob_is_pattern(text) ? PATTERN_GLOB : PATTERN_EXACT;
}

bool waymark_pattern_is(const char *text)
{
	return kind_of(text) != PATTERN_EXACT;
}

int waymark_pattern_init(struct pattern *p, const char *text, struct waymark_error *error)
{
	*p = (struct pattern){
		.kind = kind_of(text),
		.hash = waymark_pattern_name(text).hash,
		.text = text,
	};
	return p->kind == PATTERN_REGEX ? init_regex(p, text, error) : 0;
}

void waymark_pattern_fini(struct pattern *p)
{
	if (p->regex) {
		regfree(p->regex);
		free(p->regex);
	}
	p->regex = NULL;
}

static bool has_part(const struct pattern *p, const char *name)
{
	size_t length = strlen(name);

	if (length < p->part_length || (p->at_begin && p->at_end && length > p->part_length)) {
		return false;
	}
	if (p->at_begin) {
		return memcmp(name, p->part, p->part_length) == 0;
	}
	if (p->at_end) {
		return memcmp(name + length - p->part_length, p->part, p->part_length) == 0;
	}
	return memmem(name, length, p->part, p->part_length) != NULL;
}

/* True if the pattern is the whole name or its category. */
static bool is_named(const struct pattern *p, const struct pattern_name *name)
{
	if (strcmp(p->text, name->text) == 0) {
		return true;
	}
	return name->category && strncmp(p->text, name->text, name->category) == 0 &&
	       !p->text[name->category];
}

bool waymark_pattern_compare(const struct pattern *p, const struct pattern_name *name)
{
	switch (p->kind) {
	case PATTERN_PART:
		return has_part(p, name->text);
	case PATTERN_REGEX:
		return regexec(p->regex, name->text, 0, NULL, 0) == 0;
	case PATTERN_GLOB:
		return glob_match(p->text, name->text);
	default:
		return is_named(p, name);
	}
}

bool waymark_pattern_matches_text(const struct pattern *p, const char *name)
{
	const struct pattern_name read = waymark_pattern_name(name);

	return waymark_pattern_matches(p, &read);
}
