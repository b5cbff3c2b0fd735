/* SPDX-License-Identifier: MIT */
/*
 * Makes an event of the model, and the layout of its records, from an `event` block of CTF
 * metadata. The comment before the block has the declaration: formats and C types, which CTF cannot
 * express. The front end of the declaration's language reads it, and it is used only where it fits
 * the fields. Called by metadata.c for each block.
 */
#include "read/ctf/parser.h"

#include <inttypes.h>
#include <stdio.h>

#include "decl/decl.h"
#include "format/packet.h"

/* Numbers are looked up in an array. */
#define EVENT_ID_MAX ((UINT64_C(1) << PACKET_ID_BITS) - 1)

struct event_block {
	uint64_t id;
	bool has_id;
	const char *name;
	struct ctf_struct fields;
};

/* The number of CTF fields of an argument of each form. */
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

/* True if field `i` has the bytes of a string, and the field before it the string's length. */
static bool is_string_bytes(const struct ctf_struct *s, size_t i)
{
	const struct ctf_field *f = &s->fields.items[i];

	return i > 0 && f->length_field && f->type.size == 8 && f->type.align <= 8 &&
	       is_string_length(f - 1) && strcmp(f->length_field, f[-1].name) == 0;
}

/* True if the three fields that end with `i` are text or bytes: <name>_size, a length, <name>. */
static bool is_blob(const struct ctf_struct *s, size_t i)
{
	const struct ctf_field *f = &s->fields.items[i];
	size_t n = strlen(f->name);

	return i > 1 && is_string_bytes(s, i) && is_string_length(f - 2) &&
	       strncmp(f[-2].name, f->name, n) == 0 && strncmp(f[-2].name + n, "_size", 5) == 0 &&
	       f[-2].name[n + 5 + strspn(f[-2].name + n + 5, "_")] == '\0';
}

/*
 * The form of the argument that begins with field `i`. A number <s>_size before a string <s> looks
 * like text with a size: only the declaration distinguishes them.
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
	if (left > 1 && f[1].type.is_variant && f->type.is_kind &&
		strcmp(f[1].length_field, f->name) == 0) {
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
		return ctf_fail(p, "the field '%.80s' is an array that is not a string", f->name);
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
			ctf_fail(p, "the field '%.80s' has an unknown variant", f->name);
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

/* Returns the Rust type nearest to a form; NULL if a C type is nearer. */
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

/* Makes an undeclared event from its fields: without a format, with types of the same width. */
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

		arg->name = arg->c_name = f[fields - 1].name;
		/* Readers remove the `_` that keeps a name from being a CTF keyword. */
		if (arg->name[0] == '_' && arg->name[1]) {
			arg->name = arg->c_name = arg->name + 1;
		}
		set_type(p->arena, &arg->type, f, &l->fields[i]);
		f += fields;
	}
	return e;
}

/* ---- The declaration before the block ---- */

struct declaration {
	const char *file;
	unsigned int line;
	const char *text;
	bool is_toml;
};

/* Reads `<line>: ` after `colon`; returns its end, or NULL if there is none. */
static const char *find_line(const char *colon, const char *end, unsigned int *line)
{
	const char *p = colon + 1;

	for (*line = 0; p < end && is_digit((unsigned char)*p) && *line < 100000000; p++) {
		*line = *line * 10 + (unsigned int)(*p - '0');
	}
	return p > colon + 1 && end - p >= 2 && p[0] == ':' && p[1] == ' ' ? p + 2 : NULL;
}

/*
 * Returns the lines of a declaration file: comments with the meaning of arguments, and the event.
 * The writer escapes ends of comments, except in TOML.
 */
static const char *unescape(struct arena *a, const char *text, const char *end, bool is_toml)
{
	char *lines = arena_alloc(a, (size_t)(end - text) + 2);
	char *out = lines;
	char first = *text; /* of the line */

	for (const char *p = text; p < end; p++) {
		bool is_mark =
			!is_toml && end - p >= 3 && p[0] == '*' && p[1] == '\\' && p[2] == '/';

		*out++ = *p == '\n' && first != '#' ? ' ' : *p;
		first = *p == '\n' ? p[1] : first;
		p += is_mark;
	}
	*out = '\n';
	return lines;
}

/* Splits `<file>:<line>: <declaration>`; false if the text has another form. */
static bool split(struct declaration *d, struct arena *a, struct span text)
{
	const char *end = text.text + text.len;
	const char *colon = text.text;
	const char *rest = NULL;

	while (!rest && (colon = memchr(colon, ':', (size_t)(end - colon)))) {
		rest = find_line(colon, end, &d->line);
		colon++;
	}
	if (!rest) {
		return false;
	}
	d->file = arena_strndup(a, text.text, (size_t)(colon - 1 - text.text));
	d->text = unescape(a, rest, end, d->is_toml);
	return true;
}

/* Returns the declaration's only event; NULL if it has none or several. */
static struct event *parse(struct ctf_metadata *md, const struct declaration *d)
{
	static const struct decl_options options = { .lenient = true, .old = true };
	struct source *source = arena_new(&md->arena, struct source);
	size_t before = md->model.events.count;
	struct diag diag;

	/* Named for its suffix only: the comment's language does not depend on the file's. */
	*source = (struct source){ d->is_toml ? ".toml" : "", d->text, strlen(d->text) };
	diag_init(&diag);
	bool ok = decl_read(&md->model, &diag, source, &options);

	diag_fini(&diag);
	source->name = d->file;
	size_t added = md->model.events.count - before;
	struct event *e = ok && added > 0 ? md->model.events.items[before] : NULL;

	/* A scope also declares its end. */
	if (!e || added != 1u + (e->end != NULL)) {
		return NULL;
	}
	e->line = d->line;
	return e;
}

/* True if an argument of that type can be recorded in that field. */
static bool type_fits(const struct type *t, const struct layout_field *f)
{
	static const uint8_t forms[] = {
		[TYPE_STRING] = LAYOUT_STRING,
		[TYPE_FLOAT] = LAYOUT_FLOAT,
		[TYPE_TEXT] = LAYOUT_TEXT,
		[TYPE_BYTES] = LAYOUT_BYTES,
		[TYPE_DEBUG] = LAYOUT_DEBUG,
		[TYPE_TCG] = LAYOUT_NUMBER,
	};
	unsigned int form =
		t->class == TYPE_INTEGER && t->size64 > 8 ? LAYOUT_PAIR : forms[t->class];

	if (f->form != form || form == LAYOUT_STRING || form > LAYOUT_PAIR) {
		return f->form == form;
	}
	if (f->size != t->size64 && f->size != t->size32) {
		return false;
	}
	return t->class != TYPE_INTEGER || t->is_char || t->is_signed == f->is_signed;
}

static bool event_fits(const struct event *e, const struct record_layout *l)
{
	if (e->arg_count != l->count) {
		return false;
	}
	for (size_t i = 0; i < l->count; i++) {
		if (!type_fits(&e->args[i].type, &l->fields[i])) {
			return false;
		}
	}
	return true;
}

/* True if that is the event's name without blanks around it, which front ends remove. */
static bool is_named(const struct event *e, const char *name)
{
	static const char blanks[] = " \t\r\n";
	size_t n = strlen(e->name);

	name += strspn(name, blanks);
	return strncmp(name, e->name, n) == 0 && !name[n + strspn(name + n, blanks)];
}

/*
 * Returns the event of the scanned declaration (format/ctf.h); NULL if it declares none of that
 * name.
 */
static struct event *declared_event(
	struct ctf_metadata *md, const struct ctf_scan *scan, const char *name)
{
	struct declaration d = { .is_toml = scan->declaration_is_toml };

	if (!scan->declaration.text || !split(&d, &md->arena, scan->declaration)) {
		return NULL;
	}
	struct event *e = parse(md, &d);

	if (!e || !is_named(e, name)) {
		return NULL;
	}
	e->name = name;
	return e;
}

/* Copies what the user's declaration says of the arguments, if the trace's own says nothing. */
static void add_meaning(struct event *declared, const struct event *given)
{
	if (declared->meaning || !given || !given->meaning ||
		given->arg_count != declared->arg_count) {
		return;
	}
	for (size_t i = 0; i < given->arg_count; i++) {
		if (strcmp(given->args[i].name, declared->args[i].name) != 0) {
			return;
		}
	}
	declared->meaning = given->meaning;
	declared->life = given->life;
	declared->life_part = given->life_part;
	for (size_t i = 0; i < given->arg_count; i++) {
		struct arg *arg = &declared->args[i];

		arg->names = given->args[i].names;
		arg->is_flags = given->args[i].is_flags;
		arg->is_key = given->args[i].is_key;
		arg->unit = given->args[i].unit;
	}
}

/*
 * Returns the declared event if its arguments fit the layout, else the user's declaration of that
 * name if it fits, else NULL.
 */
static const struct event *fitting_event(struct ctf_metadata *md, struct event *declared,
	const char *name, const struct record_layout *layout)
{
	const struct event *given = md->declarations ? model_find(md->declarations, name) : NULL;

	given = given && event_fits(given, layout) ? given : NULL;
	if (declared && event_fits(declared, layout)) {
		/* Takes from the fields what depends on the program's host and is not declared. */
		for (size_t i = 0; i < layout->count; i++) {
			struct type *t = &declared->args[i].type;

			if (layout->fields[i].form == LAYOUT_NUMBER) {
				t->size32 = t->size64 = layout->fields[i].size;
			}
			if (t->is_char) {
				t->is_signed = layout->fields[i].is_signed;
			}
		}
		add_meaning(declared, given);
		return declared;
	}
	return given;
}

/* ---- The block ---- */

static bool read_attribute(struct ctf_parser *p, void *data, struct span name)
{
	struct event_block *b = data;

	if (span_equals(name, "fields")) {
		vec_fini(&b->fields.fields);
		return ctf_read_struct(p, &b->fields) && ctf_expect(p, ';', "';'");
	}
	if (span_equals(name, "name")) {
		ctf_scan_next(&p->scan);
		if (p->scan.token != CTF_TOKEN_STRING && p->scan.token != CTF_TOKEN_WORD) {
			return ctf_fail(p, "expected the event's name");
		}
		b->name = ctf_scan_string(p->arena, p->scan.text);
		return ctf_expect(p, ';', "';'");
	}
	if (!span_equals(name, "id")) {
		return ctf_skip_value(p);
	}
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

static bool add_event(struct ctf_parser *p, struct ctf_metadata *md, const struct event_block *b)
{
	if (!b->has_id || !b->name || !*b->name) {
		return ctf_fail(p, "an event without %s", b->has_id ? "a name" : "its number");
	}
	struct event *declared = declared_event(md, &p->scan, b->name);
	const struct event *hint = declared;

	if (!hint && md->declarations) {
		hint = model_find(md->declarations, b->name);
	}
	const struct record_layout *layout = make_layout(p, &b->fields, md, hint);

	if (!layout) {
		return false;
	}
	struct ctf_event e = { .id = b->id, .name = b->name, .layout = layout };

	e.event = fitting_event(md, declared, b->name, layout);
	if (!e.event) {
		e.event = make_event(p, b, layout);
	}
	vec_push(&md->events, e);
	return true;
}

bool ctf_read_event(struct ctf_parser *p, struct ctf_metadata *md)
{
	struct event_block b = { 0 };
	bool ok = ctf_read_block(p, "an attribute of the event", read_attribute, &b) &&
		  add_event(p, md, &b);

	vec_fini(&b.fields.fields);
	return ok;
}
