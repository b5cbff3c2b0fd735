/* SPDX-License-Identifier: MIT */
/*
 * The enumeration and the variant that a value of `&dyn fmt::Debug` is in CTF metadata. They are
 * understood where they say what format/debug.def has, and nothing else.
 */
#include "format/debug.h"
#include "read/ctf/block.h"

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

/* `{ "u8", "u16", ... }` */
static bool read_labels(struct ctf_parser *p, struct ctf_type *t)
{
	size_t count = 0;

	if (!ctf_expect(p, '{', "'{'")) {
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

bool ctf_read_enum(struct ctf_parser *p, struct ctf_type *t)
{
	if (!ctf_scan_accept(&p->scan, ':')) {
		return ctf_fail(p, "expected ':' and the type of the enumeration");
	}
	ctf_scan_next(&p->scan);
	return ctf_read_type(p, t) && read_labels(p, t);
}

bool ctf_read_variant_type(struct ctf_parser *p, struct ctf_field *f)
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

/* From behind `struct` to its end: what is in it is known. */
static bool skip_struct(struct ctf_parser *p)
{
	bool ok = ctf_expect(p, '{', "'{'");

	while (ok && ctf_scan_next(&p->scan) != '}') {
		ok = p->scan.token != CTF_TOKEN_END && p->scan.token != CTF_TOKEN_CUT;
	}
	return ok;
}

/* The type of one field, whose first word was just read; bytes of a number, 0: a struct. */
static bool read_option_type(struct ctf_parser *p, size_t *bytes)
{
	struct ctf_type t;

	*bytes = 0;
	if (span_equals(p->scan.text, "struct")) {
		return skip_struct(p);
	}
	bool ok = ctf_read_type(p, &t);

	*bytes = ok ? t.size / 8u : 0;
	return ok;
}

/* Whether field `i` may have so many bytes. */
static bool fits(size_t i, size_t bytes)
{
	const struct debug_shape *s = &debug_shapes[i];

	if (s->bytes == DEBUG_POINTER_BYTES) {
		return bytes == sizeof(uint32_t) || bytes == sizeof(uint64_t);
	}
	return bytes == (s->form == DEBUG_PAIR ? sizeof(uint64_t) : s->bytes);
}

/* `<type> <name>;` or `<type> <name>[2];`, whose first word was just read. */
static bool read_option(struct ctf_parser *p, struct ctf_metadata *md, size_t i, bool *known)
{
	size_t bytes;

	if (!read_option_type(p, &bytes) || !ctf_expect(p, CTF_TOKEN_WORD, "the name of a field")) {
		return false;
	}
	*known &= is_label(p->scan.text, i) && fits(i, bytes);
	if (*known && i == DEBUG_POINTER) {
		md->pointer_bytes = (uint8_t)bytes;
	}
	return ctf_skip_value(p);
}

bool ctf_read_variant(struct ctf_parser *p, struct ctf_metadata *md)
{
	bool known = ctf_expect(p, CTF_TOKEN_WORD, "the name of a variant") &&
		     span_equals(p->scan.text, VARIANT);
	size_t count = 0;

	if (!known) {
		return true; /* which says nothing to us */
	}
	if (!ctf_expect(p, '{', "'{'")) {
		return false;
	}
	while (ctf_scan_next(&p->scan) != '}') {
		if (!read_option(p, md, count++, &known)) {
			return false;
		}
	}
	md->pointer_bytes = known && count == DEBUG_KINDS ? md->pointer_bytes : 0;
	return true;
}
