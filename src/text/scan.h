/* SPDX-License-Identifier: MIT */
/*
 * A character scanner over a part of a source, for all front ends. It never reads past `end`, and
 * has the place of each character for diagnostics. Classes of characters are ASCII and do not
 * depend on the locale.
 */
#ifndef TEXT_SCAN_H
#define TEXT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "text/diag.h"

/* A piece of a source's text, not NUL-terminated. */
struct span {
	const char *text;
	size_t len;
};

struct scan {
	const struct source *source;
	size_t pos;
	size_t end;
};

#define SCAN_END (-1)

static inline bool is_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static inline bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

/* Returns the value of a hexadecimal digit; -1 for another character. */
static inline int hex_digit(int c)
{
	if (is_digit(c)) {
		return c - '0';
	}
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static inline bool is_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/*
 * True for a part of a name. Includes non-ASCII bytes, so that a name with them is refused as a
 * whole.
 */
static inline bool is_word(int c)
{
	return is_letter(c) || is_digit(c) || c >= 0x80;
}

static inline int scan_peek(const struct scan *s)
{
	return s->pos < s->end ? (unsigned char)s->source->text[s->pos] : SCAN_END;
}

static inline bool scan_accept(struct scan *s, int c)
{
	bool found = scan_peek(s) == c;

	s->pos += found;
	return found;
}

static inline void scan_skip_blanks(struct scan *s)
{
	while (is_blank(scan_peek(s))) {
		s->pos++;
	}
}

static inline struct location scan_location(const struct scan *s)
{
	return (struct location){ s->source, s->pos };
}

/* Returns the text from `from` to the scanner's position. */
static inline struct span scan_since(const struct scan *s, size_t from)
{
	return (struct span){ s->source->text + from, s->pos - from };
}

/* Reads a run of word characters, which may be empty. */
static inline struct span scan_word(struct scan *s)
{
	size_t from = s->pos;

	while (is_word(scan_peek(s))) {
		s->pos++;
	}
	return scan_since(s, from);
}

static inline struct location span_location(const struct source *source, struct span span)
{
	return (struct location){ source, (size_t)(span.text - source->text) };
}

static inline struct span span_trim(struct span span)
{
	while (span.len > 0 && is_blank((unsigned char)span.text[0])) {
		span.text++;
		span.len--;
	}
	while (span.len > 0 && is_blank((unsigned char)span.text[span.len - 1])) {
		span.len--;
	}
	return span;
}

static inline bool span_equals(struct span span, const char *s)
{
	/* An empty span may be NULL, which memcmp() must not get. */
	return strlen(s) == span.len && (span.len == 0 || memcmp(span.text, s, span.len) == 0);
}

/* Expands a span to the two arguments of `%.*s`. */
#define SPAN_ARGS(span) (int)(span).len, (span).text

#endif
