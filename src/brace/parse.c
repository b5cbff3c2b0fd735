/* SPDX-License-Identifier: MIT */
/*
 * Splits a message into pieces: text, placeholders, an error. The parser keeps only its position.
 * An error leaves it at the start of the piece, so that the next call reports the error again.
 */
#include <string.h>

#include "base/utf8.h"
#include "brace/brace.h"

/* Reads the inside of one placeholder. */
struct spec_parser {
	const char *message;
	size_t length;
	size_t at;
	size_t error_at;
	const char *error; /* the first error, or NULL */
};

static bool fail(struct spec_parser *c, size_t at, const char *error)
{
	if (!c->error) {
		c->error = error;
		c->error_at = at;
	}
	return false;
}

/* Returns the byte `ahead` of the next one; NUL at the end. */
static char peek(const struct spec_parser *c, size_t ahead)
{
	return c->at + ahead < c->length ? c->message[c->at + ahead] : '\0';
}

static bool take(struct spec_parser *c, char expected)
{
	if (c->at >= c->length || c->message[c->at] != expected) {
		return false;
	}
	c->at++;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return is_digit(c) || c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c & 0x80);
}

/* Returns the end of the word or number that begins `ahead` of the next byte. */
static size_t word_end(const struct spec_parser *c, size_t ahead)
{
	while (is_word(peek(c, ahead))) {
		ahead++;
	}
	return ahead;
}

/* True for a width or precision that names an argument: `3$`, `name$`. */
static bool names_argument(const struct spec_parser *c)
{
	size_t end = word_end(c, 0);

	return end && peek(c, end) == '$';
}

static bool take_number(struct spec_parser *c, int32_t *number, const char *too_big)
{
	size_t start = c->at;
	int32_t n = 0;

	for (; is_digit(peek(c, 0)); c->at++) {
		n = n * 10 + (peek(c, 0) - '0');
		if (n > BRACE_WIDTH_MAX) {
			return fail(c, start, too_big);
		}
	}
	*number = n;
	return true;
}

static bool take_width(struct spec_parser *c, struct brace_spec *spec)
{
	if (names_argument(c)) {
		return fail(c, c->at, "a width cannot be an argument: write it as a number");
	}
	if (!is_digit(peek(c, 0))) {
		return true;
	}
	return take_number(c, &spec->width, "a width is at most 65535");
}

static bool take_precision(struct spec_parser *c, struct brace_spec *spec)
{
	if (!take(c, '.')) {
		return true;
	}
	if (names_argument(c) || peek(c, 0) == '*') {
		return fail(c, c->at, "a precision cannot be an argument: write it as a number");
	}
	if (!is_digit(peek(c, 0))) {
		return true; /* a point without digits has no effect */
	}
	return take_number(c, &spec->precision, "a precision is at most 65535");
}

static bool align_of(char c, enum brace_align *align)
{
	switch (c) {
	case '<':
		*align = BRACE_ALIGN_LEFT;
		return true;
	case '^':
		*align = BRACE_ALIGN_CENTER;
		return true;
	case '>':
		*align = BRACE_ALIGN_RIGHT;
		return true;
	default:
		return false;
	}
}

/* Reads fill and alignment. A fill is any character before an alignment, even a brace. */
static void take_fill_and_align(struct spec_parser *c, struct brace_spec *spec)
{
	size_t n = c->at < c->length ? utf8_length(c->message + c->at, c->length - c->at) : 0;

	if (n && align_of(peek(c, n), &spec->align)) {
		spec->fill = utf8_decode(c->message + c->at, n);
		c->at += n + 1;
	} else if (align_of(peek(c, 0), &spec->align)) {
		c->at++;
	}
}

static void take_flags(struct spec_parser *c, struct brace_spec *spec)
{
	spec->plus = take(c, '+');
	if (!spec->plus) {
		take(c, '-'); /* accepted, but has no effect */
	}
	spec->alternate = take(c, '#');
	if (peek(c, 0) == '0' && peek(c, 1) != '$') {
		spec->zero = take(c, '0');
	}
}

static bool take_type(struct spec_parser *c, struct brace_spec *spec)
{
	static const struct {
		const char *text;
		enum brace_type type;
	} types[] = {
		{ "", BRACE_DISPLAY },
		{ "?", BRACE_DEBUG },
		{ "x?", BRACE_DEBUG_LOWER },
		{ "X?", BRACE_DEBUG_UPPER },
		{ "x", BRACE_LOWER_HEX },
		{ "X", BRACE_UPPER_HEX },
		{ "o", BRACE_OCTAL },
		{ "b", BRACE_BINARY },
		{ "e", BRACE_LOWER_EXP },
		{ "E", BRACE_UPPER_EXP },
		{ "p", BRACE_POINTER_TYPE },
	};
	size_t end = word_end(c, 0);

	end += peek(c, end) == '?';
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strlen(types[i].text) == end &&
			memcmp(types[i].text, c->message + c->at, end) == 0) {
			spec->type = types[i].type;
			c->at += end;
			return true;
		}
	}
	return fail(c, c->at, "unknown type: use ?, x?, X?, x, X, o, b, e, E, p or none");
}

static void skip_space(struct spec_parser *c)
{
	while (peek(c, 0) == ' ' || (peek(c, 0) >= '\t' && peek(c, 0) <= '\r')) {
		c->at++;
	}
}

/* Reads from after the opening brace to after the closing one. */
static bool take_placeholder(struct spec_parser *c, struct brace_spec *spec)
{
	size_t open = c->at - 1;

	*spec = BRACE_SPEC_DEFAULT;
	skip_space(c);
	if (is_digit(peek(c, 0))) {
		return fail(c, c->at,
			"a placeholder cannot number its argument: each takes the next one");
	}
	if (is_word(peek(c, 0))) {
		return fail(c, c->at,
			"a placeholder cannot name its argument: each takes the next one");
	}
	if (take(c, ':')) {
		take_fill_and_align(c, spec);
		take_flags(c, spec);
		if (!take_width(c, spec) || !take_precision(c, spec) || !take_type(c, spec)) {
			return false;
		}
	}
	skip_space(c);
	if (take(c, '}')) {
		return true;
	}
	if (c->at >= c->length) {
		return fail(c, open, "this { is not closed: write {{ for a brace");
	}
	return fail(c, c->at, "this is not part of a placeholder: write {} or {:...}");
}

static void take_text_piece(struct brace_parser *p, struct brace_piece *piece)
{
	size_t end = p->at;

	while (end < p->length && p->message[end] != '{' && p->message[end] != '}') {
		end++;
	}
	piece->kind = BRACE_TEXT;
	piece->length = end - p->at;
	p->at = end;
}

/* Reads a piece that begins with a brace. An error leaves the parser unchanged. */
static void take_brace_piece(struct brace_parser *p, struct brace_piece *piece)
{
	struct spec_parser c = { .message = p->message, .length = p->length, .at = p->at + 1 };
	char first = p->message[p->at];

	if (take(&c, first)) {
		piece->kind = BRACE_TEXT;
		piece->length = 1;
	} else if (first == '}') {
		fail(&c, p->at, "this } closes nothing: write }} for a brace");
	} else if (take_placeholder(&c, &piece->spec)) {
		piece->kind = BRACE_PLACEHOLDER;
		piece->length = c.at - p->at;
	}
	if (c.error) {
		piece->kind = BRACE_ERROR;
		piece->offset = c.error_at;
		piece->error = c.error;
		return;
	}
	p->at = c.at;
}

void brace_parse(struct brace_parser *p, const char *message, size_t length)
{
	*p = (struct brace_parser){ .message = message, .length = length };
}

enum brace_piece_kind brace_next(struct brace_parser *p, struct brace_piece *piece)
{
	piece->offset = p->at;
	piece->text = p->message + p->at;
	piece->length = 0;
	piece->error = NULL;
	if (p->at >= p->length) {
		piece->kind = BRACE_END;
	} else if (p->message[p->at] == '{' || p->message[p->at] == '}') {
		take_brace_piece(p, piece);
	} else {
		take_text_piece(p, piece);
	}
	return piece->kind;
}
