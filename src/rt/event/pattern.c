/* SPDX-License-Identifier: MIT */
/* See pattern.h. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "rt/event/pattern.h"
#include "rt/host/error.h"

uint32_t waymark_pattern_hash(const char *s)
{
	uint32_t h = UINT32_C(2166136261);

	for (; *s; s++) {
		h = (h ^ (unsigned char)*s) * UINT32_C(16777619);
	}
	return h;
}

/* In the locale "C": an expression and its errors are the same wherever the program runs. */
static int compile_plainly(regex_t *regex, const char *text, char *why, size_t size)
{
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	locale_t before = uselocale(plain);
	int failure = regcomp(regex, text, REG_EXTENDED | REG_NOSUB);

	if (failure) {
		regerror(failure, regex, why, size);
	}
	uselocale(before);
	if (plain) {
		freelocale(plain);
	}
	return failure;
}

/* Compiles `length` bytes; NULL with the reason where that fails. */
static regex_t *compile(const char *text, size_t length, struct waymark_error *error)
{
	regex_t *regex = malloc(sizeof(*regex));
	char *copy = strndup(text, length);
	char why[128];

	if (!regex || !copy) {
		waymark_fail(error, "out of memory");
	} else if (compile_plainly(regex, copy, why, sizeof(why)) == 0) {
		free(copy);
		return regex;
	} else {
		waymark_fail(error, "%s", why);
	}
	free(copy);
	free(regex);
	return NULL;
}

/* What stands between the slashes. */
static regex_t *read_regex(const char *text, size_t length, struct waymark_error *error)
{
	if (length == 0) {
		waymark_fail(error, "it is empty");
		return NULL;
	}
	if (length > REGEX_BYTES_MAX) {
		waymark_fail(error, "it has more than %u bytes", REGEX_BYTES_MAX);
		return NULL;
	}
	return waymark_regex_size(text, length, error) ? compile(text, length, error) : NULL;
}

static int init_regex(struct pattern *p, const char *text, struct waymark_error *error)
{
	size_t length = strlen(text);
	struct waymark_error reason;

	if (length < 2 || text[length - 1] != '/') {
		return waymark_fail(error,
			"'%.80s': a regular expression stands between slashes, and the second one "
			"is missing",
			text);
	}
	p->regex = read_regex(text + 1, length - 2, &reason);
	return p->regex ? 0
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
		.hash = waymark_pattern_hash(text),
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

bool waymark_pattern_meets(const struct pattern *p, const char *name)
{
	return p->kind == PATTERN_EXACT ? strcmp(p->text, name) == 0
					: waymark_pattern_matches(p, 0, name);
}

bool waymark_pattern_matches(const struct pattern *p, uint32_t hash, const char *name)
{
	switch (p->kind) {
	case PATTERN_REGEX:
		return regexec(p->regex, name, 0, NULL, 0) == 0;
	case PATTERN_GLOB:
		return glob_match(p->text, name);
	default:
		return p->hash == hash && strcmp(p->text, name) == 0;
	}
}
