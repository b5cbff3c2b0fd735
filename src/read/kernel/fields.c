/* SPDX-License-Identifier: MIT */
/*
 * Parses the arguments of a marker: `(expression: value)(expression: value)`, with values as Rust's
 * {:?} prints them. Skips brackets and literals in both as a whole. Called by marker.c for the end
 * of a name, and by scope.c for values.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "brace/tree.h"
#include "format/debug.h"
#include "read/kernel/marker.h"

/* Most bytes of a literal in single quotes: '\u{10ffff}'. */
#define CHARACTER_MAX 12

/* ---- Ends ---- */

/* Returns the end of the literal at `p`; the end of the quote alone if none begins there. */
static const char *skip_literal(const char *p)
{
	const char *at = p + 1;

	while (*at && *at != *p) {
		at += at[0] == '\\' && at[1] ? 2 : 1;
	}
	bool is_literal = *at && (*p == '"' || at - p <= CHARACTER_MAX);

	return is_literal ? at + 1 : p + 1;
}

static bool ends_expression(const char *p)
{
	return p[0] == ':' && p[1] == ' ' && p[-1] != ' ';
}

static bool ends_value(const char *p)
{
	return p[0] == ')' && (p[1] == '(' || p[1] == '\0');
}

/*
 * Returns the first place outside of brackets and literals where `ends` is true; NULL if there is
 * none.
 */
static const char *find(const char *p, bool ends(const char *p))
{
	int depth = 0;

	while (*p) {
		if (depth == 0 && ends(p)) {
			return p;
		}
		if (*p == '"' || *p == '\'') {
			p = skip_literal(p);
			continue;
		}
		depth += strchr("([{", *p) != NULL;
		depth -= depth > 0 && strchr(")]}", *p);
		p++;
	}
	return NULL;
}

const char *marker_expression_end(const char *text)
{
	return *text == '(' ? find(text + 1, ends_expression) : NULL;
}

/* ---- Values ---- */

static struct value number_value(enum debug_kind kind, uint64_t number)
{
	return (struct value){ .kind = VALUE_NUMBER, .debug = (uint8_t)kind, .number = number };
}

/* Makes a value that is printed exactly as `text`. */
static struct value verbatim(struct span text, char **room)
{
	char *begin = *room;
	char *p = begin;
	size_t length = text.len;

	*p++ = (char)BRACE_TOKEN_VERBATIM;
	for (; length >= 0x80; length >>= 7) {
		*p++ = (char)(length | 0x80);
	}
	*p++ = (char)length;
	p = mempcpy(p, text.text, text.len);
	*p++ = (char)BRACE_TOKEN_WHOLE;
	*room = p;
	return (struct value){
		.kind = VALUE_STRING,
		.debug = DEBUG_TREE,
		.text = begin,
		.length = (uint32_t)(p - begin),
	};
}

/* Reads `\u{<digits>}` or `\x<digits>`, from its letter at `p`; NULL if it is neither. */
static const char *take_code(const char *p, const char *end, uint32_t *code)
{
	bool has_braces = *p == 'u';
	const char *digits = p + 1 + has_braces;
	const char *limit = end - digits > 6 ? digits + 6 : end;
	const char *at = digits;

	if (has_braces ? p + 1 >= end || p[1] != '{' : limit - digits < 2) {
		return NULL;
	}
	limit = has_braces ? limit : digits + 2;
	for (*code = 0; at < limit && hex_digit(*at) >= 0; at++) {
		*code = *code << 4 | (uint32_t)hex_digit(*at);
	}
	if (at == digits || (has_braces && (at == end || *at != '}'))) {
		return NULL;
	}
	return at + has_braces;
}

/* Appends the character of the escape whose letter is at `p`; NULL if it is no escape. */
static const char *unescape(const char *p, const char *end, char **out)
{
	static const char letters[] = "ntr0\\'\"";
	static const char meant[] = "\n\t\r\0\\'\"";
	const char *letter = p < end && *p ? strchr(letters, *p) : NULL;
	uint32_t code;

	if (letter) {
		*(*out)++ = meant[letter - letters];
		return p + 1;
	}
	if (p >= end || (*p != 'u' && *p != 'x')) {
		return NULL;
	}
	bool is_byte = *p == 'x';

	p = take_code(p, end, &code);
	if (p && is_byte) {
		*(*out)++ = (char)code;
	} else if (p) {
		*out += utf8_encode(*out, code);
	}
	return p;
}

/*
 * Reads the text between quotes; false if it is no literal. Needs at most as much room as the text.
 */
static bool read_literal(struct span text, char **room, struct span *content)
{
	const char *p = text.text + 1;
	const char *end = text.text + text.len - 1;
	char *out = *room;

	if (text.len < 2 || *end != *text.text) {
		return false;
	}
	while (p && p < end && *p != *text.text) {
		if (*p != '\\') {
			*out++ = *p++;
		} else {
			p = unescape(p + 1, end, &out);
		}
	}
	*content = (struct span){ *room, (size_t)(out - *room) };
	*room = p == end ? out : *room;
	return p == end;
}

static bool read_string(struct span text, char **room, struct value *v)
{
	struct span content;

	if (*text.text == '"' && read_literal(text, room, &content)) {
		*v = (struct value){
			.kind = VALUE_STRING,
			.debug = DEBUG_STRING,
			.text = content.text,
			.length = (uint32_t)content.len,
		};
		return true;
	}
	return false;
}

static bool read_character(struct span text, char **room, struct value *v)
{
	struct span content;
	uint32_t code = 0;

	if (*text.text != '\'' || !read_literal(text, room, &content) || content.len == 0 ||
		utf8_length(content.text, content.len) != content.len) {
		return false;
	}
	static const unsigned char masks[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };

	code = (unsigned char)content.text[0] & masks[content.len];
	for (size_t i = 1; i < content.len; i++) {
		code = code << 6 | ((unsigned char)content.text[i] & 0x3f);
	}
	*v = number_value(DEBUG_CHAR, code);
	return true;
}

/* A program prints no longer numbers. */
#define NUMBER_MAX 400

/* Reads an integer. A number of more than 64 bits, or in an unusual form, stays a text. */
static bool read_integer(const char *text, struct value *v)
{
	bool is_negative = *text == '-';
	const char *digits = text + is_negative;
	bool has_zeros = digits[0] == '0' && digits[1];

	if (!*digits || has_zeros || strspn(digits, "0123456789") != strlen(digits)) {
		return false;
	}
	errno = 0;
	uint64_t n = strtoull(digits, NULL, 10);

	if (errno || (is_negative && n > (uint64_t)INT64_MAX + 1)) {
		return false;
	}
	*v = number_value(is_negative ? DEBUG_I64 : DEBUG_U64, is_negative ? 0 - n : n);
	return true;
}

static bool read_pointer(const char *text, struct value *v)
{
	size_t length = strlen(text);

	if (strncmp(text, "0x", 2) != 0 || length < 3 || length > 18 ||
		strspn(text + 2, "0123456789abcdef") != length - 2) {
		return false;
	}
	*v = number_value(DEBUG_POINTER, strtoull(text + 2, NULL, 16));
	v->length = sizeof(uint64_t);
	return true;
}

static bool read_float(const char *text, struct value *v)
{
	static const char *const words[] = { "NaN", "inf", "-inf" };
	bool is_float = is_digit(text[*text == '-']) && strpbrk(text, ".eE") &&
			strspn(text, "0123456789.eE+-") == strlen(text);
	char *end = NULL;
	uint64_t bits;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		is_float |= strcmp(text, words[i]) == 0;
	}
	double number = is_float ? strtod(text, &end) : 0;

	if (!is_float || *end) {
		return false;
	}
	memcpy(&bits, &number, sizeof(bits));
	*v = number_value(DEBUG_F64, bits);
	return true;
}

static bool read_number(struct span text, struct value *v)
{
	char copy[NUMBER_MAX];

	if (text.len >= sizeof(copy)) {
		return false;
	}
	memcpy(copy, text.text, text.len);
	copy[text.len] = '\0';
	return read_integer(copy, v) || read_pointer(copy, v) || read_float(copy, v);
}

struct value marker_value(struct span text, char **room)
{
	struct value v;

	if (span_equals(text, "NULL")) {
		return (struct value){ .kind = VALUE_STRING, .debug = DEBUG_STRING };
	}
	if (span_equals(text, "true") || span_equals(text, "false")) {
		return number_value(DEBUG_BOOL, *text.text == 't');
	}
	if (text.len > 0 && (read_number(text, &v) || read_string(text, room, &v) ||
				    read_character(text, room, &v))) {
		return v;
	}
	return verbatim(text, room);
}

/* ---- Arguments ---- */

/* Reads the next argument. If the line was cut or has another form, the rest is its value. */
static const char *take_field(struct marker_field *f, const char *p, bool is_last, char **room)
{
	const char *colon = marker_expression_end(p);
	const char *end = p + strlen(p);

	if (!colon) {
		f->expression = (struct span){ "rest", strlen("rest") };
		f->value = verbatim((struct span){ p, (size_t)(end - p) }, room);
		return end;
	}
	const char *value = colon + strlen(": ");
	const char *close = find(value, ends_value);

	close = close && is_last && close[1] ? NULL : close;
	close = close ? close : end > value && end[-1] == ')' ? end - 1 : end;
	f->expression = (struct span){ p + 1, (size_t)(colon - p - 1) };
	f->value = marker_value((struct span){ value, (size_t)(close - value) }, room);
	return *close ? close + 1 : close;
}

size_t marker_fields(struct marker_field *fields, size_t max, struct span arguments, char *room)
{
	const char *p = arguments.len > 0 ? arguments.text : "";
	size_t count = 0;

	while (*p && count < max) {
		p = take_field(&fields[count], p, count + 1 == max, &room);
		count++;
	}
	return count;
}
