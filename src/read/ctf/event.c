/* SPDX-License-Identifier: MIT */
/* Events of CTF metadata, see read/ctf/event.h. */
#include "read/ctf/event.h"

#include <inttypes.h>
#include <stdio.h>

#include "format/packet.h"

/* Numbers are looked up in an array. */
#define EVENT_ID_MAX ((UINT64_C(1) << PACKET_ID_BITS) - 1)

struct event_block {
	uint64_t id;
	bool has_id;
	const char *name;
	struct ctf_struct fields;
	bool has_fields;
};

/* How many fields an argument of that form is. */
static const uint8_t fields_of[] = {
	[LAYOUT_NUMBER] = 1,
	[LAYOUT_FLOAT] = 1,
	[LAYOUT_STRING] = 2,
	[LAYOUT_PAIR] = 1,
	[LAYOUT_TEXT] = 3,
	[LAYOUT_BYTES] = 3,
	[LAYOUT_DEBUG] = 2,
};

static bool is_string_length(const struct ctf_field *f)
{
	return f->elements == 1 && !f->length_field && f->type.size == 32 && !f->type.is_signed;
}

/* Whether field `i` is the bytes of the string whose length is the field before. */
static bool is_string_bytes(const struct ctf_struct *s, size_t i)
{
	const struct ctf_field *f = &s->fields.items[i];

	return i > 0 && f->length_field && f->type.size == 8 && f->type.align <= 8 &&
	       is_string_length(f - 1) && strcmp(f->length_field, f[-1].name) == 0;
}

/* Whether the three fields that end with `i` are text or bytes, whose name the size has, too. */
static bool is_blob(const struct ctf_struct *s, size_t i)
{
	const struct ctf_field *f = &s->fields.items[i];
	size_t n = strlen(f->name);

	return i > 1 && is_string_bytes(s, i) && is_string_length(f - 2) &&
	       strncmp(f[-2].name, f->name, n) == 0 && strncmp(f[-2].name + n, "_size", 5) == 0 &&
	       f[-2].name[n + 5 + strspn(f[-2].name + n + 5, "_")] == '\0';
}

static bool is_debug(const struct ctf_struct *s, size_t i)
{
	const struct ctf_field *f = &s->fields.items[i];

	return i > 0 && f->type.is_variant && f[-1].type.is_kind &&
	       strcmp(f->length_field, f[-1].name) == 0;
}

/*
 * What the fields from `i` on are. A number called <s>_size before a string <s> looks as text
 * with a length does: only the declaration tells.
 */
static enum layout_form form_at(const struct ctf_struct *s, size_t i, const struct arg *declared)
{
	const struct ctf_field *f = &s->fields.items[i];
	size_t left = s->fields.count - i;
	bool may_be_blob = !declared || declared->type.class == TYPE_TEXT ||
			   declared->type.class == TYPE_BYTES;

	if (left > 2 && may_be_blob && is_blob(s, i + 2)) {
		return f[2].type.is_text ? LAYOUT_TEXT : LAYOUT_BYTES;
	}
	if (left > 1 && is_string_bytes(s, i + 1)) {
		return LAYOUT_STRING;
	}
	if (left > 1 && is_debug(s, i + 1)) {
		return LAYOUT_DEBUG;
	}
	if (f->elements == 2 && !f->length_field && f->type.size == 64) {
		return LAYOUT_PAIR;
	}
	return f->type.is_float ? LAYOUT_FLOAT : LAYOUT_NUMBER;
}

static bool check_number(
	struct ctf_parser *p, const struct ctf_field *f, bool is_big_endian, size_t elements)
{
	const struct ctf_type *t = &f->type;
	bool whole = t->size == 8 || t->size == 16 || t->size == 32 || t->size == 64;

	p->scan.token_line = f->line;
	if (t->is_variant) {
		return ctf_fail(p, "the field '%.80s' is a variant of another tracer", f->name);
	}
	if (f->length_field || f->elements != elements) {
		return ctf_fail(p, "the field '%.80s' is an array that is no string", f->name);
	}
	if (!whole || t->align < 8) {
		return ctf_fail(p, "the field '%.80s' does not consist of whole bytes", f->name);
	}
	if (t->has_order && t->is_big_endian != is_big_endian) {
		return ctf_fail(
			p, "the field '%.80s' has a byte order that is not the trace's", f->name);
	}
	return true;
}

static struct record_layout *make_layout(struct ctf_parser *p, const struct ctf_struct *s,
	const struct ctf_metadata *md, const struct event *declared)
{
	struct record_layout *l =
		arena_alloc(p->arena, sizeof(*l) + s->fields.count * sizeof(l->fields[0]));

	l->pointer_bytes = md->pointer_bytes;
	for (size_t i = 0; i < s->fields.count; l->count++) {
		const struct ctf_field *f = &s->fields.items[i];
		bool is_known = declared && l->count < declared->arg_count;
		enum layout_form form = form_at(s, i, is_known ? &declared->args[l->count] : NULL);
		size_t elements = form == LAYOUT_PAIR ? 2 : 1;

		if (!check_number(p, f, md->is_big_endian, elements)) {
			return NULL;
		}
		if (form == LAYOUT_DEBUG && !md->pointer_bytes) {
			ctf_fail(p, "the field '%.80s' is of a variant that is not known", f->name);
			return NULL;
		}
		l->fields[l->count] = (struct layout_field){
			.size = (uint8_t)(elements * f->type.size / 8),
			.align = (uint8_t)(f->type.align / 8),
			.is_signed = f->type.is_signed,
			.form = (uint8_t)form,
		};
		i += fields_of[form];
	}
	layout_finish(l);
	return l;
}

/* Readers take the `_` off that keeps a name from being a word of the language. */
static const char *bare_name(const struct ctf_field *f)
{
	return f->name[0] == '_' && f->name[1] ? f->name + 1 : f->name;
}

/* The type of Rust that is nearest to a form; NULL: a type of C. */
static const char *rust_type(const struct layout_field *f)
{
	switch (f->form) {
	case LAYOUT_FLOAT:
		return f->size == sizeof(float) ? "f32" : "f64";
	case LAYOUT_PAIR:
		return f->is_signed ? "i128" : "u128";
	case LAYOUT_TEXT:
		return "str";
	case LAYOUT_BYTES:
		return "&[u8]";
	case LAYOUT_DEBUG:
		return "&dyn fmt::Debug";
	default:
		return NULL;
	}
}

static void set_type(
	struct arena *a, struct type *t, const struct ctf_field *f, const struct layout_field *l)
{
	const char *rust = rust_type(l);
	char text[16];

	if (rust) {
		type_parse_rust(t, a, rust, strlen(rust));
	} else if (l->form == LAYOUT_STRING) {
		type_parse(t, a, "const char *", strlen("const char *"));
	} else if (f->type.is_hex) {
		type_parse(t, a, "void *", strlen("void *"));
		t->size64 = t->size32 = (uint8_t)(f->type.size / 8);
	} else {
		snprintf(text, sizeof(text), "%sint%u_t", f->type.is_signed ? "" : "u",
			f->type.size);
		type_parse(t, a, text, strlen(text));
	}
}

/* The event as its fields tell it: no format, and types that are only as wide as the program's. */
static const struct event *make_event(
	struct ctf_parser *p, const struct event_block *b, const struct record_layout *l)
{
	const struct ctf_field *f = b->fields.fields.items;
	struct event *e = arena_new(p->arena, struct event);

	e->name = e->upper = b->name;
	e->args = arena_array(p->arena, struct arg, l->count);
	for (size_t i = 0; i < l->count; i++) {
		struct arg *arg = &e->args[e->arg_count++];
		size_t fields = fields_of[l->fields[i].form];

		arg->name = arg->c_name = bare_name(&f[fields - 1]);
		set_type(p->arena, &arg->type, f, &l->fields[i]);
		f += fields;
	}
	return e;
}

static bool read_id(struct ctf_parser *p, struct event_block *b)
{
	if (!ctf_expect(p, CTF_TOKEN_NUMBER, "the event's number")) {
		return false;
	}
	b->id = p->scan.number;
	b->has_id = true;
	if (b->id > EVENT_ID_MAX) {
		return ctf_fail(p, "the event number %" PRIu64 " is larger than %" PRIu64, b->id,
			EVENT_ID_MAX);
	}
	return ctf_expect(p, ';', "';'");
}

static bool read_name(struct ctf_parser *p, struct event_block *b)
{
	ctf_scan_next(&p->scan);
	if (p->scan.token != CTF_TOKEN_STRING && p->scan.token != CTF_TOKEN_WORD) {
		return ctf_fail(p, "expected the event's name");
	}
	b->name = ctf_scan_string(p->arena, p->scan.text);
	return ctf_expect(p, ';', "';'");
}

static bool read_fields(struct ctf_parser *p, struct event_block *b)
{
	vec_fini(&b->fields.fields);
	b->has_fields = true;
	return ctf_read_struct(p, &b->fields) && ctf_expect(p, ';', "';'");
}

static bool read_attribute(struct ctf_parser *p, struct event_block *b)
{
	struct span name;

	if (!ctf_expect_assigned(p, &name, "an attribute of the event")) {
		return false;
	}
	if (span_equals(name, "id")) {
		return read_id(p, b);
	}
	if (span_equals(name, "name")) {
		return read_name(p, b);
	}
	return span_equals(name, "fields") ? read_fields(p, b) : ctf_skip_value(p);
}

static bool add_event(struct ctf_parser *p, struct ctf_metadata *md, const struct event_block *b)
{
	if (!b->has_id || !b->name || !*b->name) {
		return ctf_fail(p, "an event without %s", b->has_id ? "a name" : "its number");
	}
	struct event *declared = ctf_declared_event(md, &p->scan, b->name);
	const struct event *hint = declared;

	if (!hint && md->declarations) {
		hint = model_find(md->declarations, b->name);
	}
	const struct record_layout *layout = make_layout(p, &b->fields, md, hint);

	if (!layout) {
		return false;
	}
	struct ctf_event e = { .id = b->id, .name = b->name, .layout = layout };

	e.event = ctf_fitting_event(md, declared, b->name, layout);
	if (!e.event) {
		e.event = make_event(p, b, layout);
	}
	vec_push(&md->events, e);
	return true;
}

bool ctf_read_event(struct ctf_parser *p, struct ctf_metadata *md)
{
	struct event_block b = { 0 };
	bool ok = ctf_expect(p, '{', "'{'");

	while (ok && !ctf_scan_accept(&p->scan, '}')) {
		ok = read_attribute(p, &b);
	}
	ok = ok && ctf_expect(p, ';', "';'") && add_event(p, md, &b);
	vec_fini(&b.fields.fields);
	return ok;
}
