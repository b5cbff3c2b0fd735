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

#include "format/ctf.h"
#include "format/debug.h"

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
