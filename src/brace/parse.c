/* SPDX-License-Identifier: MIT */
/*
 * From a message to its pieces. Nothing is kept but the place: an error leaves the parser
 * where the piece began, so that it is found again.
 */
#include <string.h>

#include "base/utf8.h"
#include "brace/brace.h"
#include "brace/code.h"

/* The inside of a placeholder that is being read. */
struct cursor {
	const char *message;
	size_t length;
	size_t at;
	size_t wrong; /* where the error is */
	const char *error; /* the first, or NULL */
};

static bool fail(struct cursor *c, size_t at, const char *error)
{
	if (!c->error) {
		c->error = error;
		c->wrong = at;
	}
	return false;
}

/* The byte `ahead` of the next; NUL at the end. */
static char peek(const struct cursor *c, size_t ahead)
{
	return c->at + ahead < c->length ? c->message[c->at + ahead] : '\0';
}

static bool take(struct cursor *c, char expected)
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

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The end of the word or number that begins `ahead` of the next byte. */
static size_t word_end(const struct cursor *c, size_t ahead)
{
	while (is_word(peek(c, ahead))) {
		ahead++;
	}
	return ahead;
}

/* A width or precision that names an argument: `3$`, `name$`. */
static bool names_argument(const struct cursor *c)
{
	size_t end = word_end(c, 0);

	return end && peek(c, end) == '$';
}

static bool take_number(struct cursor *c, int32_t *number, const char *too_big)
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

static bool take_width(struct cursor *c, struct brace_spec *spec)
{
	if (names_argument(c)) {
		return fail(c, c->at, "a width cannot be an argument: write it as a number");
	}
	if (!is_digit(peek(c, 0))) {
		return true;
	}
	return take_number(c, &spec->width, "a width is at most 65535");
}

static bool take_precision(struct cursor *c, struct brace_spec *spec)
{
	if (!take(c, '.')) {
		return true;
	}
	if (names_argument(c) || peek(c, 0) == '*') {
		return fail(c, c->at, "a precision cannot be an argument: write it as a number");
	}
	if (!is_digit(peek(c, 0))) {
		return true; /* a point alone asks for nothing */
	}
	return take_number(c, &spec->precision, "a precision is at most 65535");
}

static bool align_of(char c, enum brace_align *align)
{
	static const char signs[] = {
		[BRACE_ALIGN_LEFT] = '<', [BRACE_ALIGN_CENTER] = '^', [BRACE_ALIGN_RIGHT] = '>'
	};

	for (unsigned int i = BRACE_ALIGN_LEFT; i <= BRACE_ALIGN_RIGHT; i++) {
		if (c == signs[i]) {
			*align = (enum brace_align)i;
			return true;
		}
	}
	return false;
}

/* A fill is any character before an alignment, even a brace. */
static void take_fill_and_align(struct cursor *c, struct brace_spec *spec)
{
	size_t n = c->at < c->length ? utf8_length(c->message + c->at, c->length - c->at) : 0;

	if (n && align_of(peek(c, n), &spec->align)) {
		spec->fill = brace_decode(c->message + c->at, n);
		c->at += n + 1;
	} else if (align_of(peek(c, 0), &spec->align)) {
		c->at++;
	}
}

static void take_flags(struct cursor *c, struct brace_spec *spec)
{
	spec->plus = take(c, '+');
	if (!spec->plus) {
		take(c, '-'); /* accepted and without effect */
	}
	spec->alternate = take(c, '#');
	if (peek(c, 0) == '0' && peek(c, 1) != '$') {
		spec->zero = take(c, '0');
	}
}

static bool take_type(struct cursor *c, struct brace_spec *spec)
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
	return fail(c, c->at, "unknown type: there are ?, x?, X?, x, X, o, b, e, E, p or none");
}

static bool take_spec(struct cursor *c, struct brace_spec *spec)
{
	take_fill_and_align(c, spec);
	take_flags(c, spec);
	return take_width(c, spec) && take_precision(c, spec) && take_type(c, spec);
}

static bool take_argument(struct cursor *c)
{
	if (is_digit(peek(c, 0))) {
		return fail(
			c, c->at, "arguments have no numbers here: they come in order, one each");
	}
	if (is_word(peek(c, 0))) {
		return fail(c, c->at, "arguments have no names here: they come in order, one each");
	}
	return true;
}

static void skip_space(struct cursor *c)
{
	while (is_space(peek(c, 0))) {
		c->at++;
	}
}

/* Behind the opening brace. */
static bool take_placeholder(struct cursor *c, struct brace_spec *spec)
{
	size_t open = c->at - 1;

	*spec = BRACE_SPEC_DEFAULT;
	skip_space(c);
	if (!take_argument(c) || (take(c, ':') && !take_spec(c, spec))) {
		return false;
	}
	skip_space(c);
	if (take(c, '}')) {
		return true;
	}
	if (c->at >= c->length) {
		return fail(c, open, "this { is not closed: write {{ for a brace");
	}
	return fail(c, c->at, "a placeholder is {} or {:...}: this does not belong into it");
}

static enum brace_piece_kind text_piece(struct brace_parser *p, struct brace_piece *piece)
{
	size_t end = p->at;

	while (end < p->length && p->message[end] != '{' && p->message[end] != '}') {
		end++;
	}
	piece->kind = BRACE_TEXT;
	piece->length = end - p->at;
	p->at = end;
	return piece->kind;
}

static enum brace_piece_kind error_piece(struct brace_piece *piece, size_t at, const char *error)
{
	piece->kind = BRACE_ERROR;
	piece->offset = at;
	piece->error = error;
	return piece->kind;
}

static enum brace_piece_kind brace_piece(struct brace_parser *p, struct brace_piece *piece)
{
	struct cursor c = { .message = p->message, .length = p->length, .at = p->at + 1 };
	char first = p->message[p->at];

	if (take(&c, first)) {
		piece->kind = BRACE_TEXT;
		piece->length = 1;
	} else if (first == '}') {
		return error_piece(piece, p->at, "this } closes nothing: write }} for a brace");
	} else if (take_placeholder(&c, &piece->spec)) {
		piece->kind = BRACE_PLACEHOLDER;
		piece->length = c.at - p->at;
	} else {
		return error_piece(piece, c.wrong, c.error);
	}
	p->at = c.at;
	return piece->kind;
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
		return piece->kind;
	}
	if (p->message[p->at] == '{' || p->message[p->at] == '}') {
		return brace_piece(p, piece);
	}
	return text_piece(p, piece);
}
