/* SPDX-License-Identifier: MIT */
/*
 * Reads the characters of TOML: faults, blanks, comments, newlines, and strings, which are decoded
 * byte by byte with the place of each. Used by toml.c.
 */
#include "decl/toml.h"

#include <stdint.h>

#include "base/compiler.h"
#include "base/utf8.h"

bool toml_fail(struct toml_reader *r, size_t at, const char *help, const char *message)
{
	diag_error(r->diag, ((struct location){ r->scan.source, at }), help, "%s", message);
	return false;
}

void toml_skip_blanks(struct toml_reader *r)
{
	while (scan_peek(&r->scan) == ' ' || scan_peek(&r->scan) == '\t') {
		r->scan.pos++;
	}
}

bool toml_accept_newline(struct toml_reader *r)
{
	struct scan *s = &r->scan;
	size_t pos = s->pos;

	scan_accept(s, '\r');
	if (scan_accept(s, '\n')) {
		return true;
	}
	s->pos = pos;
	return false;
}

static bool is_control(int c)
{
	return (c >= 0 && c < ' ' && c != '\t') || c == 0x7f;
}

bool toml_skip_comment(struct toml_reader *r)
{
	struct scan *s = &r->scan;

	while (scan_accept(s, '#')) {
		while (scan_peek(s) != SCAN_END && !is_control(scan_peek(s))) {
			s->pos++;
		}
	}
	if (scan_peek(s) == SCAN_END || scan_peek(s) == '\n' ||
		(scan_peek(s) == '\r' && s->pos + 1 < s->end &&
			s->source->text[s->pos + 1] == '\n')) {
		return true;
	}
	return !is_control(scan_peek(s)) ||
	       toml_fail(r, s->pos, "remove it", "a control character");
}

bool toml_skip_space(struct toml_reader *r)
{
	do {
		toml_skip_blanks(r);
		if (!toml_skip_comment(r)) {
			return false;
		}
	} while (toml_accept_newline(r));
	return true;
}

struct string {
	int quote; /* " or ' */
	bool is_long; /* has three quotes: may have several lines */
	size_t begin; /* place of the first quote */
};

static const char escapes[][2] = { { 'b', '\b' }, { 't', '\t' }, { 'n', '\n' }, { 'f', '\f' },
	{ 'r', '\r' }, { '"', '"' }, { '\\', '\\' } };

static void add(struct toml_reader *r, char c, size_t at)
{
	vec_push(&r->text, c);
	vec_push(&r->places, at);
}

/* Reads \u and \U: four or eight digits of a code point that is no surrogate. */
static bool read_unicode(struct toml_reader *r, size_t at, unsigned int digits)
{
	struct scan *s = &r->scan;
	uint32_t c = 0;

	for (; digits > 0 && scan_peek(s) != SCAN_END && hex_digit(scan_peek(s)) >= 0; digits--) {
		c = c << 4 | (uint32_t)hex_digit(scan_peek(s));
		s->pos++;
	}
	if (digits > 0) {
		return toml_fail(r, at, "write \\u00e9 or \\U0001f600",
			"\\u has four hexadecimal digits, \\U has eight");
	}
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
		return toml_fail(r, at, "write a whole character, in UTF-8 or as \\U0001f600",
			"there is no such character in Unicode");
	}
	char text[UTF8_MAX];
	size_t n = utf8_encode(text, c);

	for (size_t i = 0; i < n; i++) {
		add(r, text[i], at);
	}
	return true;
}

/*
 * Skips a line's end after a backslash, and all blanks and newlines after it; else returns false.
 */
static bool join_lines(struct toml_reader *r)
{
	size_t pos = r->scan.pos;

	toml_skip_blanks(r);
	if (!toml_accept_newline(r)) {
		r->scan.pos = pos;
		return false;
	}
	do {
		toml_skip_blanks(r);
	} while (toml_accept_newline(r));
	return true;
}

static bool read_escape(struct toml_reader *r, const struct string *string)
{
	struct scan *s = &r->scan;
	size_t at = s->pos++;

	for (size_t i = 0; i < ARRAY_SIZE(escapes); i++) {
		if (scan_accept(s, escapes[i][0])) {
			add(r, escapes[i][1], at);
			return true;
		}
	}
	if (scan_accept(s, 'u')) {
		return read_unicode(r, at, 4);
	}
	if (scan_accept(s, 'U')) {
		return read_unicode(r, at, 8);
	}
	return (string->is_long && join_lines(r)) ||
	       toml_fail(r, at,
		       "write \\\\ for a backslash; there are \\b \\t \\n \\f \\r \\\" \\u \\U",
		       "an escape that TOML does not have");
}

/* Returns the number of consecutive quotes here. */
static size_t quotes(const struct scan *s, int quote)
{
	size_t n = 0;

	while (s->pos + n < s->end && s->source->text[s->pos + n] == quote) {
		n++;
	}
	return n;
}

/* Reads the end of a string. Up to two quotes before the last three belong to the string. */
static bool accept_end(struct toml_reader *r, const struct string *string)
{
	struct scan *s = &r->scan;
	size_t n = quotes(s, string->quote);

	if (n == 0 || (string->is_long && n < 3)) {
		return false;
	}
	for (; string->is_long && n > 3 && n <= 5; n--) {
		add(r, (char)string->quote, s->pos++);
	}
	s->pos += string->is_long ? 3 : 1;
	return true;
}

/*
 * Reports an unclosed string. One of several lines is read again from its start, so that the lines
 * that it swallowed are read as statements.
 */
static bool fail_unclosed(struct toml_reader *r, const struct string *string)
{
	r->scan.pos = string->is_long ? string->begin : r->scan.pos;
	return toml_fail(r, string->begin,
		string->is_long ? "end it with three quotes"
				: "end it on its line; one of several lines has three quotes",
		"the string is not closed");
}

static bool read_char(struct toml_reader *r, const struct string *string)
{
	struct scan *s = &r->scan;
	int c = scan_peek(s);
	size_t at = s->pos;

	if (c == '\\' && string->quote == '"') {
		return read_escape(r, string);
	}
	if (string->is_long && toml_accept_newline(r)) {
		add(r, '\n', at);
		return true;
	}
	if (c == SCAN_END || toml_accept_newline(r)) {
		s->pos = at;
		return fail_unclosed(r, string);
	}
	if ((c < ' ' && c != '\t') || c == 0x7f) {
		return toml_fail(r, at, "write it as an escape, for example \\u0007, between \"\"",
			"a control character in a string");
	}
	add(r, (char)c, at);
	s->pos++;
	return true;
}

/* Copies the decoded bytes and their places into the arena. */
static struct placed take_string(struct toml_reader *r, size_t end)
{
	size_t len = r->text.count;
	size_t *places = arena_array(r->arena, size_t, len + 1);

	if (len > 0) {
		memcpy(places, r->places.items, len * sizeof(*places));
	}
	places[len] = end;
	const char *text = arena_strndup(r->arena, len > 0 ? r->text.items : "", len);

	r->text.count = r->places.count = 0;
	return (struct placed){ { text, len }, r->scan.source, places };
}

bool toml_read_string(struct toml_reader *r, struct placed *to, bool may_span)
{
	struct scan *s = &r->scan;
	struct string string = { .quote = scan_peek(s), .begin = s->pos };

	string.is_long = may_span && quotes(s, string.quote) >= 3;
	s->pos += string.is_long ? 3 : 1;
	if (string.is_long) {
		toml_accept_newline(r);
	}
	while (!accept_end(r, &string)) {
		if (!read_char(r, &string)) {
			r->text.count = r->places.count = 0;
			return false;
		}
	}
	*to = take_string(r, s->pos - (string.is_long ? 3 : 1));
	return true;
}
