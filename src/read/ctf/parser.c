/* SPDX-License-Identifier: MIT */
/*
 * Parses types of CTF metadata: numbers, arrays, structs. Of enumerations and variants, only those
 * that format/debug.def lists for a value of `&dyn fmt::Debug` are understood. Called by metadata.c
 * and event.c for the types in their blocks.
 */
#include "read/ctf/parser.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/ctf.h"
#include "format/debug.h"

/* ---- Tokens ---- */

/*
 * Each is read from `pos`, which only moves forward; newlines on the way are counted. Strings are
 * unescaped only on demand.
 */

void ctf_scan_init(struct ctf_scan *s, const char *text, size_t size, unsigned int line)
{
	*s = (struct ctf_scan){ .pos = text, .end = text + size, .line = line };
}

static size_t left(const struct ctf_scan *s)
{
	return (size_t)(s->end - s->pos);
}

static bool begins_with(const struct ctf_scan *s, const char *text)
{
	size_t length = strlen(text);

	return left(s) >= length && memcmp(s->pos, text, length) == 0;
}

/* Moves to `to`, counting the lines on the way. */
static void move(struct ctf_scan *s, const char *to)
{
	for (; s->pos < to; s->pos++) {
		s->line += *s->pos == '\n';
	}
}

/* Keeps the text of the current comment if it begins with `begin`; returns whether it does. */
static bool keep_declaration(struct ctf_scan *s, const char *end, const char *begin)
{
	const char *text = s->pos + strlen(begin);

	if (!begins_with(s, begin)) {
		return false;
	}
	s->declaration = (struct span){ text, text < end ? (size_t)(end - text) : 0 };
	return true;
}

/* Skips a comment; false if it does not end. */
static bool skip_comment(struct ctf_scan *s)
{
	const char *end = memmem(s->pos + 2, left(s) - 2, "*/", 2);

	if (!end) {
		return false;
	}
	if (keep_declaration(s, end, CTF_DECLARATION)) {
		s->declaration_is_toml = false;
	} else if (keep_declaration(s, end, CTF_DECLARATION_TOML)) {
		s->declaration_is_toml = true;
	}
	move(s, end + 2);
	return true;
}

/* Skips blanks and comments; false if a comment does not end. */
static bool skip(struct ctf_scan *s)
{
	while (s->pos < s->end) {
		if (*s->pos == '\n' || *s->pos == '\r' || is_blank(*s->pos)) {
			move(s, s->pos + 1);
		} else if (begins_with(s, "//")) {
			const char *newline = memchr(s->pos, '\n', left(s));

			s->pos = newline ? newline : s->end;
		} else if (!begins_with(s, "/*")) {
			return true;
		} else if (!skip_comment(s)) {
			return false;
		}
	}
	return true;
}

static int take_word(struct ctf_scan *s)
{
	const char *begin = s->pos;

	while (s->pos < s->end && (is_word((unsigned char)*s->pos) || *s->pos == '.')) {
		s->pos++;
	}
	s->text = (struct span){ begin, (size_t)(s->pos - begin) };
	return CTF_TOKEN_WORD;
}

static int take(struct ctf_scan *s)
{
	int c = (unsigned char)*s->pos;

	if (is_digit(c) || (c == '-' && left(s) > 1 && is_digit(s->pos[1]))) {
		char digits[32] = "";
		bool negative = *s->pos == '-';

		s->pos += negative;
		take_word(s);
		memcpy(digits, s->text.text,
			s->text.len < sizeof(digits) ? s->text.len : sizeof(digits) - 1);
		s->number = strtoull(digits, NULL, 0);
		s->number = negative ? 0 - s->number : s->number;
		return CTF_TOKEN_NUMBER;
	}
	if (is_word(c)) {
		return take_word(s);
	}
	if (c == '"') {
		const char *p = s->pos + 1;

		while (p < s->end && *p != '"') {
			p += *p == '\\' ? 2 : 1;
		}
		if (p >= s->end) {
			return CTF_TOKEN_CUT;
		}
		s->text = (struct span){ s->pos + 1, (size_t)(p - s->pos - 1) };
		move(s, p + 1);
		return CTF_TOKEN_STRING;
	}
	if (begins_with(s, ":=")) {
		s->pos += 2;
		return CTF_TOKEN_ASSIGN;
	}
	s->pos++;
	return c;
}

int ctf_scan_next(struct ctf_scan *s)
{
	bool whole = skip(s);

	s->token_line = s->line;
	s->text = (struct span){ s->pos, 0 };
	if (!whole) {
		s->token = CTF_TOKEN_CUT;
	} else {
		s->token = s->pos == s->end ? CTF_TOKEN_END : take(s);
	}
	return s->token;
}

bool ctf_scan_accept(struct ctf_scan *s, int token)
{
	struct ctf_scan before = *s;

	if (ctf_scan_next(s) == token) {
		return true;
	}
	*s = before;
	return false;
}

/* Returns the value of \xHH or \OOO at `p`, after the backslash; moves `p`. */
static int take_code(const char **p, const char *end)
{
	int base = **p == 'x' ? 16 : 8;
	const char *last = *p + 3 < end ? *p + 3 : end;
	int value = 0;

	*p += base == 16;
	while (*p < last && hex_digit(**p) >= 0 && hex_digit(**p) < base) {
		value = value * base + hex_digit(**p);
		(*p)++;
	}
	return value & 0xff;
}

char *ctf_scan_string(struct arena *a, struct span text)
{
	static const char codes[] = "abfnrtv";
	static const char values[] = "\a\b\f\n\r\t\v";
	char *copy = arena_alloc(a, text.len + 1);
	char *out = copy;
	const char *end = text.text + text.len;

	for (const char *p = text.text; p < end;) {
		if (*p != '\\' || p + 1 == end) {
			*out++ = *p++;
			continue;
		}
		const char *code = strchr(codes, *++p);

		if (*p == 'x' || (*p >= '0' && *p <= '7')) {
			*out++ = (char)take_code(&p, end);
		} else {
			*out++ = code && *code ? values[code - codes] : *p;
			p++;
		}
	}
	return copy;
}

bool ctf_scan_skip(struct ctf_scan *s)
{
	int depth = 0;

	for (;;) {
		int token = ctf_scan_next(s);

		if (token == CTF_TOKEN_END || token == CTF_TOKEN_CUT) {
			return false;
		}
		depth += (token == '{') - (token == '}');
		if (token == ';' && depth <= 0) {
			return true;
		}
	}
}

/* No traced event has more fields; a damaged file may claim any number. */
#define FIELDS_MAX 256

bool ctf_fail(struct ctf_parser *p, const char *fmt, ...)
{
	char text[320];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	read_error_set(p->error, CTF_METADATA ":%u: %s", p->scan.token_line, text);
	return false;
}

bool ctf_expect(struct ctf_parser *p, int token, const char *what)
{
	if (ctf_scan_next(&p->scan) == token) {
		return true;
	}
	if (p->scan.text.len > 0) {
		return ctf_fail(p, "expected %s, not '%.*s'", what,
			(int)(p->scan.text.len < 80 ? p->scan.text.len : 80), p->scan.text.text);
	}
	return ctf_fail(p, "expected %s", what);
}

bool ctf_skip_value(struct ctf_parser *p)
{
	return ctf_scan_skip(&p->scan) || ctf_fail(p, "expected ';'");
}

bool ctf_read_block(struct ctf_parser *p, const char *what, ctf_read_attribute *read, void *data)
{
	if (!ctf_expect(p, '{', "'{'")) {
		return false;
	}
	while (!ctf_scan_accept(&p->scan, '}')) {
		if (!ctf_expect(p, CTF_TOKEN_WORD, what)) {
			return false;
		}
		const struct span name = p->scan.text;

		ctf_scan_next(&p->scan);
		if (p->scan.token != '=' && p->scan.token != CTF_TOKEN_ASSIGN) {
			return ctf_fail(p, "expected '='");
		}
		if (!read(p, data, name)) {
			return false;
		}
	}
	return ctf_expect(p, ';', "';'");
}

static bool is_any(struct span text, const char *const *names)
{
	for (; *names; names++) {
		if (span_equals(text, *names)) {
			return true;
		}
	}
	return false;
}

/* Sets one attribute of a type, whose value is the token just read. Ignores unknown ones. */
static void set_attribute(struct ctf_type *t, struct span name, const struct ctf_scan *s)
{
	static const char *const yes[] = { "true", "TRUE", NULL };
	static const char *const hex[] = { "hexadecimal", "hex", "x", "X", "p", NULL };
	static const char *const big[] = { "be", "network", NULL };
	uint16_t number = s->number <= UINT16_MAX ? (uint16_t)s->number : UINT16_MAX;
	bool is_number = s->token == CTF_TOKEN_NUMBER;

	if (is_number && (span_equals(name, "size") || span_equals(name, "exp_dig") ||
				 span_equals(name, "mant_dig"))) {
		t->size = (uint16_t)(t->size + number);
	} else if (is_number && span_equals(name, "align")) {
		t->align = number;
	} else if (span_equals(name, "signed")) {
		t->is_signed = is_number ? s->number != 0 : is_any(s->text, yes);
	} else if (span_equals(name, "base")) {
		t->is_hex = is_number ? s->number == 16 : is_any(s->text, hex);
	} else if (span_equals(name, "encoding")) {
		t->is_text = !span_equals(s->text, "none");
	} else if (span_equals(name, "byte_order")) {
		t->is_big_endian = is_any(s->text, big);
		t->has_order = t->is_big_endian || span_equals(s->text, "le");
	}
}

/* `{ size = 32; align = 32; ... }` */
static bool read_attributes(struct ctf_parser *p, struct ctf_type *t)
{
	if (!ctf_expect(p, '{', "'{'")) {
		return false;
	}
	while (!ctf_scan_accept(&p->scan, '}')) {
		if (!ctf_expect(p, CTF_TOKEN_WORD, "the name of an attribute")) {
			return false;
		}
		struct span name = p->scan.text;

		if (!ctf_expect(p, '=', "'='")) {
			return false;
		}
		ctf_scan_next(&p->scan);
		set_attribute(t, name, &p->scan);
		if (!ctf_expect(p, ';', "';'")) {
			return false;
		}
	}
	if (t->align == 0) {
		t->align = t->size % 8 ? 1 : 8;
	}
	if (t->size == 0 || t->size > 64 || t->align > 64 || (t->align & (t->align - 1))) {
		return ctf_fail(
			p, "a number of %u bits, aligned to %u, cannot be read", t->size, t->align);
	}
	return true;
}

/* ---- Enumerations and variants, of debug values only ---- */

static const char *const labels[DEBUG_KINDS] = {
#define DEBUG_POINTER_TYPE ""
#define DEBUG_BLOB_OF(type) ""
#define DEBUG_KIND(name, label, field, form, bytes) label,
#include "format/debug.def"
#undef DEBUG_KIND
};

#define VARIANT "debug"

static bool is_label(struct span text, size_t i)
{
	return i < DEBUG_KINDS && span_equals(text, labels[i]);
}

static bool read_type(struct ctf_parser *p, struct ctf_type *t);

/* Reads ` : <type> { "u8", "u16", ... }` after `enum`. */
static bool read_enum(struct ctf_parser *p, struct ctf_type *t)
{
	size_t count = 0;

	if (!ctf_scan_accept(&p->scan, ':')) {
		return ctf_fail(p, "expected ':' and the type of the enumeration");
	}
	ctf_scan_next(&p->scan);
	if (!read_type(p, t) || !ctf_expect(p, '{', "'{'")) {
		return false;
	}
	for (t->is_kind = true; ctf_scan_next(&p->scan) != '}';) {
		if (p->scan.token == CTF_TOKEN_END || p->scan.token == CTF_TOKEN_CUT) {
			return ctf_fail(p, "expected '}'");
		}
		if (p->scan.token != ',') {
			t->is_kind &= is_label(p->scan.text, count++);
		}
	}
	t->is_kind &= count == DEBUG_KINDS;
	return true;
}

/* Reads ` debug <kind>` after `variant`. */
static bool read_variant_type(struct ctf_parser *p, struct ctf_field *f)
{
	f->type = (struct ctf_type){ .size = 8, .align = 8, .is_variant = true };
	if (!ctf_expect(p, CTF_TOKEN_WORD, "the name of a variant") ||
		!span_equals(p->scan.text, VARIANT)) {
		return ctf_fail(p, "a variant that is not '" VARIANT "' cannot be read");
	}
	if (!ctf_expect(p, '<', "'<'") || !ctf_expect(p, CTF_TOKEN_WORD, "the name of a field")) {
		return false;
	}
	f->length_field = arena_strndup(p->arena, p->scan.text.text, p->scan.text.len);
	return ctf_expect(p, '>', "'>'");
}

/*
 * Reads the type of one option, whose first word was just read. *bytes is the size of a number; 0
 * for a struct, whose fields are in format/debug.def.
 */
static bool read_option_type(struct ctf_parser *p, size_t *bytes)
{
	struct ctf_type t;

	*bytes = 0;
	if (!span_equals(p->scan.text, "struct")) {
		bool ok = read_type(p, &t);

		*bytes = ok ? t.size / 8u : 0;
		return ok;
	}
	bool ok = ctf_expect(p, '{', "'{'");

	while (ok && ctf_scan_next(&p->scan) != '}') {
		ok = p->scan.token != CTF_TOKEN_END && p->scan.token != CTF_TOKEN_CUT;
	}
	return ok;
}

/* True if option `i` may be a number of that size. */
static bool option_fits(size_t i, size_t bytes)
{
	const struct debug_shape *s = &debug_shapes[i];

	if (s->bytes == DEBUG_POINTER_BYTES) {
		return bytes == sizeof(uint32_t) || bytes == sizeof(uint64_t);
	}
	return bytes == (s->form == DEBUG_PAIR ? sizeof(uint64_t) : s->bytes);
}

bool ctf_read_variant(struct ctf_parser *p, struct ctf_metadata *md)
{
	bool known = ctf_expect(p, CTF_TOKEN_WORD, "the name of a variant") &&
		     span_equals(p->scan.text, VARIANT);
	size_t count = 0;
	size_t bytes;

	if (!known) {
		return true; /* another tracer's: nothing refers to it */
	}
	if (!ctf_expect(p, '{', "'{'")) {
		return false;
	}
	/* `<type> <name>;` or `<type> <name>[2];` */
	for (; ctf_scan_next(&p->scan) != '}'; count++) {
		if (!read_option_type(p, &bytes) ||
			!ctf_expect(p, CTF_TOKEN_WORD, "the name of a field")) {
			return false;
		}
		known &= is_label(p->scan.text, count) && option_fits(count, bytes);
		if (known && count == DEBUG_POINTER) {
			md->pointer_bytes = (uint8_t)bytes;
		}
		if (!ctf_skip_value(p)) {
			return false;
		}
	}
	md->pointer_bytes = known && count == DEBUG_KINDS ? md->pointer_bytes : 0;
	return true;
}

/* ---- Types ---- */

/* Reads the type of one number, whose first word is the token just read. */
static bool read_type(struct ctf_parser *p, struct ctf_type *t)
{
	struct span word = p->scan.text;

	*t = (struct ctf_type){ 0 };
	if (p->scan.token != CTF_TOKEN_WORD) {
		return ctf_fail(p, "expected a type");
	}
	if (span_equals(word, "integer")) {
		return read_attributes(p, t);
	}
	if (span_equals(word, "floating_point")) {
		t->is_float = true;
		return read_attributes(p, t);
	}
	if (span_equals(word, "enum")) {
		return read_enum(p, t);
	}
	char name[128];

	snprintf(name, sizeof(name), "%.*s", (int)(word.len < 100 ? word.len : 100), word.text);
	const struct ctf_type *known = hash_get(p->types, name);

	if (!known) {
		return ctf_fail(p, "the type '%s' is not known", name);
	}
	*t = *known;
	return true;
}

bool ctf_read_typealias(struct ctf_parser *p)
{
	struct ctf_type *t = arena_new(p->arena, struct ctf_type);

	ctf_scan_next(&p->scan);
	if (!read_type(p, t) || !ctf_expect(p, CTF_TOKEN_ASSIGN, "':='") ||
		!ctf_expect(p, CTF_TOKEN_WORD, "the name of the type")) {
		return false;
	}
	hash_add(p->types, arena_strndup(p->arena, p->scan.text.text, p->scan.text.len), t);
	return ctf_expect(p, ';', "';'");
}

/* Reads `[16]` or `[length]`, after its bracket. */
static bool read_length(struct ctf_parser *p, struct ctf_field *f)
{
	switch (ctf_scan_next(&p->scan)) {
	case CTF_TOKEN_NUMBER:
		f->elements = p->scan.number;
		break;
	case CTF_TOKEN_WORD:
		f->length_field = arena_strndup(p->arena, p->scan.text.text, p->scan.text.len);
		break;
	default:
		return ctf_fail(p, "expected the array's length");
	}
	return ctf_expect(p, ']', "']'");
}

/* Reads `<type> <name>;`, whose first token was just read. */
static bool read_field(struct ctf_parser *p, struct ctf_struct *s)
{
	struct ctf_field f = { .elements = 1, .line = p->scan.token_line };
	bool is_variant = p->scan.token == CTF_TOKEN_WORD && span_equals(p->scan.text, "variant");

	if (!(is_variant ? read_variant_type(p, &f) : read_type(p, &f.type)) ||
		!ctf_expect(p, CTF_TOKEN_WORD, "the name of a field")) {
		return false;
	}
	f.name = arena_strndup(p->arena, p->scan.text.text, p->scan.text.len);
	if (ctf_scan_accept(&p->scan, '[') && !read_length(p, &f)) {
		return false;
	}
	if (s->fields.count >= FIELDS_MAX) {
		return ctf_fail(p, "more than %d fields", FIELDS_MAX);
	}
	vec_push(&s->fields, f);
	return ctf_expect(p, ';', "';'");
}

bool ctf_read_struct(struct ctf_parser *p, struct ctf_struct *s)
{
	*s = (struct ctf_struct){ 0 };
	if (!ctf_expect(p, CTF_TOKEN_WORD, "'struct'") || !span_equals(p->scan.text, "struct") ||
		!ctf_expect(p, '{', "'{'")) {
		return ctf_fail(p, "expected a struct of fields");
	}
	while (ctf_scan_next(&p->scan) != '}') {
		if (!read_field(p, s)) {
			return false;
		}
	}
	struct ctf_scan before = p->scan;

	/* ` align(64)` only repeats what the fields and the profile define. */
	if (ctf_scan_next(&p->scan) == CTF_TOKEN_WORD && span_equals(p->scan.text, "align")) {
		return ctf_expect(p, '(', "'('") && ctf_expect(p, CTF_TOKEN_NUMBER, "a number") &&
		       ctf_expect(p, ')', "')'");
	}
	p->scan = before;
	return true;
}
