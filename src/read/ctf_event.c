/* SPDX-License-Identifier: MIT */
/* Events of CTF metadata, see read/ctf_event.h. */
#include "read/ctf_event.h"

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

static bool check_number(struct ctf_parser *p, const struct ctf_field *f, bool is_big_endian)
{
	const struct ctf_type *t = &f->type;
	bool whole = t->size == 8 || t->size == 16 || t->size == 32 || t->size == 64;

	p->scan.token_line = f->line;
	if (f->length_field || f->elements != 1) {
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

static struct layout *make_layout(
	struct ctf_parser *p, const struct ctf_struct *s, bool is_big_endian)
{
	struct layout *l =
		arena_alloc(p->arena, sizeof(*l) + s->fields.count * sizeof(l->fields[0]));

	for (size_t i = 0; i < s->fields.count; i++) {
		const struct ctf_field *f = &s->fields.items[i];

		if (is_string_bytes(s, i)) {
			l->fields[l->count - 1].is_string = true;
			continue;
		}
		if (!check_number(p, f, is_big_endian)) {
			return NULL;
		}
		l->fields[l->count++] = (struct layout_field){
			.size = (uint8_t)(f->type.size / 8),
			.align = (uint8_t)(f->type.align / 8),
			.is_signed = f->type.is_signed,
		};
	}
	layout_finish(l);
	return l;
}

/* Readers take the `_` off that keeps a name from being a word of the language. */
static const char *bare_name(const struct ctf_field *f)
{
	return f->name[0] == '_' && f->name[1] ? f->name + 1 : f->name;
}

static void set_type(struct arena *a, struct type *t, const struct ctf_field *f, bool is_string)
{
	char text[16];

	if (is_string) {
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
static const struct event *make_event(struct ctf_parser *p, const struct event_block *b)
{
	size_t count = b->fields.fields.count;
	struct event *e = arena_new(p->arena, struct event);

	e->name = e->upper = b->name;
	e->args = arena_array(p->arena, struct arg, count);
	for (size_t i = 0; i < count; i++) {
		const struct ctf_field *f = &b->fields.fields.items[i];
		bool is_string = i + 1 < count && is_string_bytes(&b->fields, i + 1);
		struct arg *arg = &e->args[e->arg_count++];

		i += is_string;
		arg->name = arg->c_name = bare_name(&b->fields.fields.items[i]);
		set_type(p->arena, &arg->type, f, is_string);
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
	if (!ctf_expect(p, CTF_TOKEN_WORD, "an attribute of the event")) {
		return false;
	}
	struct span name = p->scan.text;

	ctf_scan_next(&p->scan);
	if (p->scan.token != '=' && p->scan.token != CTF_TOKEN_ASSIGN) {
		return ctf_fail(p, "expected '='");
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
	const struct layout *layout = make_layout(p, &b->fields, md->is_big_endian);

	if (!layout) {
		return false;
	}
	struct ctf_event e = { .id = b->id, .name = b->name, .layout = layout };

	e.event = ctf_declared_event(md, p->scan.declaration, b->name, layout);
	if (!e.event) {
		e.event = make_event(p, b);
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
