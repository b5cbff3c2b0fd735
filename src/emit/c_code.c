/* SPDX-License-Identifier: MIT */
/*
 * Makes the texts for the holes of C templates, except printf formats (c_format.c): names,
 * parameters, arguments, literals. Called by the emitters in backend/ and format/.
 */
#include "emit/c_code.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include <waymark/record.h>

const char c_header_end[] = "\n"
			    "#ifdef __cplusplus\n"
			    "}\n"
			    "#endif\n"
			    "\n"
			    "#endif\n";

struct out *c_begin(struct emit_context *c)
{
	c->scratch.len = 0;
	return &c->scratch;
}

const char *c_end(struct emit_context *c)
{
	return c->scratch.len ? arena_strndup(&c->texts, c->scratch.data, c->scratch.len) : "";
}

/*
 * Returns a file's name without machine-specific folders, so that builds in other directories give
 * the same output.
 */
static const char *shown_name(const struct emit_context *c, const char *name)
{
	size_t len = c->directory ? strlen(c->directory) : 0;

	if (*name != '/') {
		return name;
	}
	if (len > 1 && strncmp(name, c->directory, len) == 0 && name[len] == '/') {
		return name + len + 1;
	}
	return strrchr(name, '/') + 1;
}

/* Writes a text so that nothing in it ends the comment or its line. */
static void write_comment(struct out *o, const char *text)
{
	for (char before = ' '; *text; before = *text++) {
		if ((before == '*' && *text == '/') || (before == '/' && *text == '*')) {
			out_char(o, ' ');
		}
		out_char(o, (unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text);
	}
}

const char *c_comment(struct emit_context *c, const char *text)
{
	write_comment(c_begin(c), text);
	return c_end(c);
}

const char *c_file_comment(struct emit_context *c, const struct event *e)
{
	return c_comment(c, shown_name(c, e->at.source->name));
}

const char *c_file_literal(struct emit_context *c, const struct event *e)
{
	return c_literal(c, shown_name(c, e->at.source->name));
}

const char *c_banner(struct emit_context *c)
{
	static const char one[] = EMIT_BANNER " from ${file}. Do not edit. */\n";
	static const char many[] = EMIT_BANNER " from ${file} and other files. Do not edit. */\n";
	struct event **events = c->model->events.items;
	size_t count = c->model->events.count;

	if (count == 0) {
		return EMIT_BANNER ". Do not edit. */\n";
	}
	const char *file = c_file_comment(c, events[0]);
	bool is_one = events[0]->at.source == events[count - 1]->at.source;

	OUT(c_begin(c), is_one ? one : many, { "file", file });
	return c_end(c);
}

const char *c_guard(struct emit_context *c, const char *begin, const char *end)
{
	struct out *o = c_begin(c);

	out_str(o, begin);
	for (const char *s = c->group; *s; s++) {
		out_char(o, isalnum((unsigned char)*s) ? (char)toupper((unsigned char)*s) : '_');
	}
	out_str(o, end);
	return c_end(c);
}

static uint32_t mix(uint32_t h, const char *text)
{
	do {
		h = (h ^ (unsigned char)*text) * UINT32_C(16777619);
	} while (*text++);
	return h;
}

const char *c_digest(struct emit_context *c, const struct event *e)
{
	uint32_t h = mix(UINT32_C(2166136261), c_has_place(c, e) ? "place" : "");

	for (size_t i = 0; i < e->arg_count; i++) {
		h = mix(mix(h, e->args[i].type.text), e->args[i].name);
	}
	h = mix(h, e->format.source ? e->format.source : "");
	return arena_printf(&c->texts, "%08" PRIx32, h);
}

const char *c_renaming(struct emit_context *c, const char *what, const struct event *e)
{
	const char *name = arena_printf(&c->texts, "waymark_%s_%s", what, e->name);

	return arena_printf(&c->texts, "#define %s %s_%s\n", name, name, c_digest(c, e));
}

const char *c_number(struct emit_context *c, size_t n)
{
	out_printf(c_begin(c), "%zu", n);
	return c_end(c);
}

/* An octal escape has at most three digits, so a digit after it is not part of it. */
void c_literal_char(struct out *o, char ch, char before)
{
	static const char escaped[] = "\a\b\t\n\v\f\r\"\\";
	static const char letters[] = "abtnvfr\"\\";
	const char *found = ch ? strchr(escaped, ch) : NULL;

	if (found) {
		out_char(o, '\\');
		out_char(o, letters[found - escaped]);
	} else if (ch == '?' && before == '?') {
		out_str(o, "\\?"); /* C99 would read a trigraph */
	} else if ((unsigned char)ch < ' ' || (unsigned char)ch >= 0x7f) {
		out_printf(o, "\\%03o", (unsigned char)ch);
	} else {
		out_char(o, ch);
	}
}

const char *c_literal(struct emit_context *c, const char *text)
{
	struct out *o = c_begin(c);

	out_char(o, '"');
	for (char before = '\0'; *text; before = *text++) {
		c_literal_char(o, *text, before);
	}
	out_char(o, '"');
	return c_end(c);
}

static bool is_an_argument(const struct event *e, const char *name)
{
	for (size_t i = 0; i < e->arg_count; i++) {
		if (strcmp(e->args[i].name, name) == 0) {
			return true;
		}
	}
	return false;
}

const char *c_renamed(struct emit_context *c, const struct event *e, const char *name)
{
	do {
		name = arena_printf(&c->texts, "%s_", name);
	} while (is_an_argument(e, name));
	return name;
}

const char *c_vcpu_type(struct emit_context *c)
{
	return arena_printf(&c->texts, "struct %s *", c->vcpu_tag);
}

const char *c_int(struct emit_context *c, const struct arg *a)
{
	bool is_int = strcmp(a->type.c_text, "int") == 0;

	return arena_printf(&c->texts, "%s%s", is_int ? "" : "(int)", a->c_name);
}

bool c_has_scopes(const struct emit_context *c)
{
	vec_foreach (struct event **, e, &c->model->events) {
		if ((*e)->end) {
			return true;
		}
	}
	return false;
}

bool c_needs_debug(const struct emit_context *c)
{
	vec_foreach (struct event **, e, &c->model->events) {
		for (size_t i = 0; i < (*e)->arg_count; i++) {
			const struct type *t = &(*e)->args[i].type;

			if (t->class == TYPE_DEBUG || type_is_pair(t)) {
				return true;
			}
		}
	}
	return false;
}

bool c_is_parameter(const struct event *e, const char *c_name)
{
	for (size_t i = 0; i < e->arg_count; i++) {
		if (strcmp(e->args[i].c_name, c_name) == 0) {
			return true;
		}
	}
	return false;
}

const char *c_length_name(struct emit_context *c, const struct event *e, size_t arg)
{
	const char *name = arena_printf(&c->texts, "%s_length", e->args[arg].c_name);

	while (c_is_parameter(e, name)) {
		name = arena_printf(&c->texts, "%s_", name);
	}
	return name;
}

const char *c_value(struct emit_context *c, const struct event *e, size_t arg)
{
	const struct arg *a = &e->args[arg];

	if (!type_is_counted(&a->type)) {
		return a->c_name;
	}
	return arena_printf(&c->texts, "%s, %s", a->c_name, c_length_name(c, e, arg));
}

const char *c_parameters(struct emit_context *c, const struct event *e)
{
	c_begin(c);
	for (size_t i = 0; i < e->arg_count; i++) {
		/* A text and its length: `const char *name, size_t name_length`. */
		const struct arg *a = &e->args[i];
		const char *type = a->is_cpu ? c_vcpu_type(c) : a->type.c_text;
		struct out *o = &c->scratch;

		out_str(o, i ? ", " : "");
		out_str(o, type);
		out_str(o, type[strlen(type) - 1] == '*' ? "" : " ");
		out_str(o, a->c_name);
		if (type_is_counted(&a->type)) {
			out_str(o, ", size_t ");
			out_str(o, c_length_name(c, e, i));
		}
	}
	return e->arg_count ? c_end(c) : "void";
}

/* Returns the arguments, with `widen` before each that C would promote to a double. */
static const char *list_arguments(struct emit_context *c, const struct event *e, const char *widen)
{
	struct out *o = c_begin(c);

	for (size_t i = 0; i < e->arg_count; i++) {
		const struct type *t = &e->args[i].type;

		out_str(o, i ? ", " : "");
		out_str(o, t->class == TYPE_FLOAT && t->size64 < sizeof(double) ? widen : "");
		out_str(o, c_value(c, e, i));
	}
	return c_end(c);
}

const char *c_arguments(struct emit_context *c, const struct event *e)
{
	return list_arguments(c, e, "");
}

const char *c_promoted(struct emit_context *c, const struct event *e)
{
	return list_arguments(c, e, "(double)");
}

bool c_has_place(const struct emit_context *c, const struct event *e)
{
	chosen_foreach (c, NULL, row) {
		if (row->backend->takes_place) {
			return e->format.style == FORMAT_BRACES;
		}
	}
	return false;
}

/* Returns `place`, followed by `rest` if that is not empty. */
static const char *placed(
	struct emit_context *c, const struct event *e, const char *place, const char *const rest)
{
	if (!c_has_place(c, e)) {
		return rest;
	}
	return e->arg_count ? arena_printf(&c->texts, "%s, %s", place, rest) : place;
}

const char *c_placed_parameters(struct emit_context *c, const struct event *e)
{
	return placed(
		c, e, "const char *waymark_file, unsigned int waymark_line", c_parameters(c, e));
}

const char *c_placed_arguments(struct emit_context *c, const struct event *e)
{
	return placed(c, e, "waymark_file, waymark_line", c_arguments(c, e));
}

const char *c_unplaced_arguments(struct emit_context *c, const struct event *e)
{
	return placed(c, e, "NULL, 0", c_arguments(c, e));
}

const char *c_given(struct emit_context *c, const struct event *e)
{
	return placed(c, e, "__FILE__, __LINE__", e->arg_count ? "__VA_ARGS__" : "");
}

const char *c_unused(struct emit_context *c, const struct event *e)
{
	struct out *o = c_begin(c);

	for (size_t i = 0; i < e->arg_count; i++) {
		OUT(o, "\t(void)${name};\n", { "name", e->args[i].c_name });
		if (type_is_counted(&e->args[i].type)) {
			OUT(o, "\t(void)${name};\n", { "name", c_length_name(c, e, i) });
		}
	}
	return c_end(c);
}

static void put_watched(struct out *o, const struct emit_backend *b, const struct event *e)
{
	out_str(o, "\tif (");
	OUT(o, b->watched, { "name", e->name });
	OUT(o, ") {\n\t\twaymark_on |= ${mask};\n\t}\n", { "mask", b->mask });
}

const char *c_watched(struct emit_context *c, const struct event *e)
{
	struct out *o = c_begin(c);

	chosen_foreach (c, NULL, row) {
		const struct emit_backend *b = row->backend;

		if (b->watched) {
			put_watched(o, b, e);
		}
		if (b->declaration && e->end) { /* the end has its own word */
			put_watched(o, b, e->end);
		}
	}
	return c_end(c);
}

bool c_is_address(const struct event *e, size_t arg)
{
	const struct conversion *v = format_conversion_of(&e->format, arg);

	return e->args[arg].type.class == TYPE_STRING && v && v->letter == 'p';
}

const struct conversion *c_precise(const struct event *e, size_t arg)
{
	const struct conversion *v = format_conversion_of(&e->format, arg);

	if (e->args[arg].type.class != TYPE_STRING || !v || v->letter != 's') {
		return NULL;
	}
	bool limits = v->precision >= 0 && v->precision <= WAYMARK_FIRST_MAX;

	return limits || v->precision_arg != FORMAT_NO_ARG ? v : NULL;
}

const char *c_precision(struct emit_context *c, const struct event *e, size_t arg)
{
	const struct conversion *v = c_precise(e, arg);

	if (!v) {
		return NULL;
	}
	return v->precision_arg != FORMAT_NO_ARG ? c_int(c, &e->args[v->precision_arg])
						 : c_number(c, (size_t)v->precision);
}

size_t c_placeholder(const struct event *e, size_t arg)
{
	size_t n = 0;

	for (size_t i = 0; i < e->format.count; i++) {
		const struct segment *s = &e->format.segments[i];

		if (s->has_conversion && s->conversion.arg == (int)arg) {
			return n;
		}
		n += s->has_conversion;
	}
	return 0;
}
