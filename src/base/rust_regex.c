/* SPDX-License-Identifier: MIT */
/*
 * Translates expressions of the crate regex into extended ones of POSIX, character by character.
 * Searches only test for a match, so groups need no names. A lazy repetition would match the same
 * names, but is refused, as POSIX reads its `?` as an option.
 */
#include "base/rust_regex.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"

/* Maximum bytes for two bytes of an expression. */
#define ESCAPE_MAX 13u

struct translation {
	const char *at;
	char *to;
	char *why;
	size_t why_size;
	size_t depth; /* of groups */
	bool repeatable; /* the last atom may be repeated */
	bool repeated; /* it is already repeated */
};

static const struct escape {
	char c;
	bool repeatable;
	const char *outside;
	const char *inside; /* translation in brackets; NULL: not allowed there */
} escapes[] = {
	{ 'd', true, "[0-9]", "0-9" },
	{ 'D', true, "[^0-9]", NULL },
	{ 'w', true, "[A-Za-z0-9_]", "A-Za-z0-9_" },
	{ 'W', true, "[^A-Za-z0-9_]", NULL },
	{ 's', true, "[[:space:]]", "[:space:]" },
	{ 'S', true, "[^[:space:]]", NULL },
	{ 'b', false, "\\b", NULL },
	{ 'B', false, "\\B", NULL },
	{ 'A', false, "^", NULL },
	{ 'z', false, "$", NULL },
};

static const struct escape *find_escape(char c)
{
	for (size_t i = 0; i < ARRAY_SIZE(escapes); i++) {
		if (escapes[i].c == c) {
			return &escapes[i];
		}
	}
	return NULL;
}

/* Sets the reason, one line; is false, so that readers can return it. */
#define refuse(r, ...) error_format((r)->why, (r)->why_size, __VA_ARGS__)

static void put(struct translation *r, const char *text)
{
	r->to = stpcpy(r->to, text);
}

static bool put_char(struct translation *r, char c)
{
	*r->to++ = c;
	return true;
}

/* Refuses bytes that no event's name has. */
static bool check_char(struct translation *r)
{
	unsigned char c = (unsigned char)*r->at;

	return (c >= ' ' && c < 0x7f) ||
	       refuse(r,
		       "no name of an event has the byte 0x%02x: a name has letters, digits "
		       "and '_'",
		       c);
}

static bool refuse_escape(struct translation *r, char c)
{
	if (!c) {
		return refuse(r, "it ends in a '\\'");
	}
	return refuse(r,
		"'\\%c' is not supported: write the characters themselves, in brackets if they are "
		"several",
		isprint((unsigned char)c) ? c : '?');
}

static bool read_escape(struct translation *r)
{
	char c = r->at[1];
	const struct escape *e = find_escape(c);

	if (e) {
		put(r, e->outside);
		r->repeatable = e->repeatable;
	} else if (c <= ' ' || c == 0x7f || isalnum((unsigned char)c) || c == '<' || c == '>') {
		return refuse_escape(r, c);
	} else {
		if (strchr(".[\\()*+?{|^$", c)) {
			put_char(r, '\\');
		}
		put_char(r, c);
		r->repeatable = true;
	}
	r->repeated = false;
	r->at += 2;
	return true;
}

static bool read_escape_inside(struct translation *r)
{
	char c = r->at[1];
	const struct escape *e = find_escape(c);

	if (e && e->inside && (r->at[2] != '-' || r->at[3] == ']')) {
		put(r, e->inside);
	} else if (c && strchr("]^-[", c)) {
		return refuse(r,
			"'\\%c' in brackets is not supported: in them a ']' comes first, a '-' "
			"last, and '[' and '^' can stand outside, as in (a|\\^)",
			c);
	} else if (c <= ' ' || c == 0x7f || isalnum((unsigned char)c)) {
		return refuse_escape(r, c);
	} else {
		put_char(r, c);
	}
	r->at += 2;
	return true;
}

/* Reads [:alpha:] and the like. */
static bool read_class(struct translation *r)
{
	size_t length = r->at[1] == ':' ? strspn(r->at + 2, "abcdefghijklmnopqrstuvwxyz") : 0;

	if (r->at[1] != ':' || strncmp(r->at + 2 + length, ":]", 2) != 0) {
		return refuse(r, "a '[' in brackets is supported only as in [[:alpha:]]");
	}
	for (size_t i = 0; i < length + 4; i++) {
		put_char(r, *r->at++);
	}
	return true;
}

static bool read_inside(struct translation *r)
{
	char c = *r->at;

	if (c == '\\') {
		return read_escape_inside(r);
	}
	if (c == '[') {
		return read_class(r);
	}
	if (strchr("&-~", c) && r->at[1] == c) {
		return refuse(r, "'%c%c' in brackets is not supported", c, c);
	}
	r->at++;
	return put_char(r, c);
}

static bool read_brackets(struct translation *r)
{
	put_char(r, *r->at++);
	if (*r->at == '^') {
		put_char(r, *r->at++);
	}
	if (*r->at == ']') {
		put_char(r, *r->at++);
	}
	while (*r->at != ']') {
		if (!*r->at) {
			return refuse(r, "a '[' has no ']'");
		}
		if (!check_char(r) || !read_inside(r)) {
			return false;
		}
	}
	r->repeatable = true;
	r->repeated = false;
	return put_char(r, *r->at++);
}

static bool open_group(struct translation *r)
{
	if (strncmp(r->at, "(?:", 3) == 0) {
		r->at += 2;
	} else if (r->at[1] == '?') {
		return refuse(r,
			"'(?' is supported only as in (?:...); a letter in both cases is written "
			"[Aa]");
	}
	r->at++;
	r->depth++;
	r->repeatable = false;
	return put_char(r, '(');
}

static bool close_group(struct translation *r)
{
	if (r->depth == 0) {
		return refuse(r, "a ')' has no '('");
	}
	r->depth--;
	r->repeatable = true;
	r->repeated = false;
	return put_char(r, *r->at++);
}

/* Returns the end of {n}, {n,} or {n,m}; NULL for any other text. */
static const char *skip_times(const char *at)
{
	size_t first = strspn(at + 1, "0123456789");

	at += 1 + first;
	if (*at == ',') {
		at++;
		at += strspn(at, "0123456789");
	}
	return first && *at == '}' ? at + 1 : NULL;
}

static bool repeat(struct translation *r)
{
	char c = *r->at;
	const char *end = c == '{' ? skip_times(r->at) : r->at + 1;

	if (!r->repeatable) {
		return refuse(r, "'%c' has nothing to repeat; '.' matches every name", c);
	}
	if (!end) {
		return refuse(r, "'{' needs {n}, {n,} or {n,m} after it; the sign itself is \\{");
	}
	if (c == '?' && r->repeated) {
		return refuse(r,
			"'%c?' is not supported: leave the '?' out, which finds the same names",
			r->at[-1]);
	}
	while (r->at < end) {
		put_char(r, *r->at++);
	}
	r->repeated = true;
	return true;
}

static bool read_next(struct translation *r)
{
	switch (*r->at) {
	case '\\':
		return read_escape(r);
	case '[':
		return read_brackets(r);
	case '(':
		return open_group(r);
	case ')':
		return close_group(r);
	case '*':
	case '+':
	case '?':
	case '{':
		return repeat(r);
	default:
		r->repeatable = !strchr("|^$", *r->at);
		r->repeated = false;
		return check_char(r) && put_char(r, *r->at++);
	}
}

static bool translate(struct translation *r)
{
	if (!*r->at) {
		return refuse(r, "it is empty; '.' matches every name");
	}
	put(r, "/");
	while (*r->at) {
		if (!read_next(r)) {
			return false;
		}
	}
	put(r, "/");
	return true;
}

char *waymark_rust_regex_pattern(const char *text, char *why, size_t size)
{
	char *pattern = malloc(strlen(text) * ESCAPE_MAX / 2 + ESCAPE_MAX);
	struct translation r = { .at = text, .to = pattern, .why = why, .why_size = size };

	if (!pattern) {
		refuse(&r, "out of memory");
	} else if (!translate(&r)) {
		free(pattern);
		pattern = NULL;
	}
	return pattern;
}
