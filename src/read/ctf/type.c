/* SPDX-License-Identifier: MIT */
/* Types of CTF metadata, see read/ctf/type.h. */
#include "read/ctf/type.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "format/ctf.h"

/* Nothing that is traced has more; a damaged file may say anything. */
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

bool ctf_expect_assigned(struct ctf_parser *p, struct span *name, const char *what)
{
	if (!ctf_expect(p, CTF_TOKEN_WORD, what)) {
		return false;
	}
	*name = p->scan.text;
	ctf_scan_next(&p->scan);
	return p->scan.token == '=' || p->scan.token == CTF_TOKEN_ASSIGN ||
	       ctf_fail(p, "expected '='");
}

bool ctf_skip_value(struct ctf_parser *p)
{
	int depth = 0;

	for (;;) {
		int token = ctf_scan_next(&p->scan);

		if (token == CTF_TOKEN_END || token == CTF_TOKEN_CUT) {
			return ctf_fail(p, "expected ';'");
		}
		depth += (token == '{') - (token == '}');
		if (token == ';' && depth <= 0) {
			return true;
		}
	}
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

static bool is_true(const struct ctf_scan *s)
{
	static const char *const names[] = { "true", "TRUE", NULL };

	return s->token == CTF_TOKEN_NUMBER ? s->number != 0 : is_any(s->text, names);
}

static bool is_hex(const struct ctf_scan *s)
{
	static const char *const names[] = { "hexadecimal", "hex", "x", "X", "p", NULL };

	return s->token == CTF_TOKEN_NUMBER ? s->number == 16 : is_any(s->text, names);
}

static void set_order(struct ctf_type *t, const struct ctf_scan *s)
{
	static const char *const big[] = { "be", "network", NULL };

	t->is_big_endian = is_any(s->text, big);
	t->has_order = t->is_big_endian || span_equals(s->text, "le");
}

/* One attribute of a type, whose value is the token just read; unknown ones say nothing to us. */
static void set_attribute(struct ctf_type *t, struct span name, const struct ctf_scan *s)
{
	uint16_t number = s->number <= UINT16_MAX ? (uint16_t)s->number : UINT16_MAX;
	bool is_number = s->token == CTF_TOKEN_NUMBER;

	if (is_number && (span_equals(name, "size") || span_equals(name, "exp_dig") ||
				 span_equals(name, "mant_dig"))) {
		t->size = (uint16_t)(t->size + number);
	} else if (is_number && span_equals(name, "align")) {
		t->align = number;
	} else if (span_equals(name, "signed")) {
		t->is_signed = is_true(s);
	} else if (span_equals(name, "base")) {
		t->is_hex = is_hex(s);
	} else if (span_equals(name, "encoding")) {
		t->is_text = !span_equals(s->text, "none");
	} else if (span_equals(name, "byte_order")) {
		set_order(t, s);
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
		return ctf_fail(p, "a number of %u bits, aligned to %u, is none that can be read",
			t->size, t->align);
	}
	return true;
}

bool ctf_read_type(struct ctf_parser *p, struct ctf_type *t)
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
		return ctf_read_enum(p, t);
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
	if (!ctf_read_type(p, t) || !ctf_expect(p, CTF_TOKEN_ASSIGN, "':='") ||
		!ctf_expect(p, CTF_TOKEN_WORD, "the name of the type")) {
		return false;
	}
	hash_add(p->types, arena_strndup(p->arena, p->scan.text.text, p->scan.text.len), t);
	return ctf_expect(p, ';', "';'");
}

/* `[16]` or `[length]`, from behind its bracket. */
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

static bool read_field_type(struct ctf_parser *p, struct ctf_field *f)
{
	bool is_variant = p->scan.token == CTF_TOKEN_WORD && span_equals(p->scan.text, "variant");

	return is_variant ? ctf_read_variant_type(p, f) : ctf_read_type(p, &f->type);
}

/* `<type> <name>;`, whose first token was just read. */
static bool read_field(struct ctf_parser *p, struct ctf_struct *s)
{
	struct ctf_field f = { .elements = 1, .line = p->scan.token_line };

	if (!read_field_type(p, &f) || !ctf_expect(p, CTF_TOKEN_WORD, "the name of a field")) {
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

/* ` align(64)`: all that it could say is told by the fields and the profile. */
static bool skip_align(struct ctf_parser *p)
{
	struct ctf_scan before = p->scan;

	if (ctf_scan_next(&p->scan) == CTF_TOKEN_WORD && span_equals(p->scan.text, "align")) {
		return ctf_expect(p, '(', "'('") && ctf_expect(p, CTF_TOKEN_NUMBER, "a number") &&
		       ctf_expect(p, ')', "')'");
	}
	p->scan = before;
	return true;
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
	return skip_align(p);
}
