/* SPDX-License-Identifier: MIT */
/*
 * Makes the event classes of captures: one for each name and list of fields, with the same
 * declaration as in a native trace, which src/rt/event/site.c makes. Called by scope.c.
 */
#include <string.h>

#include "model/type.h"
#include "read/kernel/capture.h"

#define OTHER "(other)"

void capture_shapes_init(struct capture *c)
{
	hash_init(&c->shapes);
	out_init(&c->key, OUT_TO_MEMORY);
}

void capture_shapes_fini(struct capture *c)
{
	hash_fini(&c->shapes);
	vec_fini(&c->ends);
	out_fini(&c->key);
}

/* ---- Fields ---- */

static bool is_taken(const struct event *e, const char *name)
{
	for (size_t i = 0; i < e->arg_count; i++) {
		if (strcmp(e->args[i].name, name) == 0) {
			return true;
		}
	}
	return false;
}

/* Makes an identifier from an expression, different from earlier ones, as native traces do. */
static const char *field_name(struct arena *a, const struct event *e, struct span expression)
{
	char *name = arena_alloc(a, expression.len + EVENT_ARGS_LIMIT + 2);
	char *p = name;

	for (size_t i = 0; i < expression.len; i++) {
		char c = expression.text[i];

		if (is_digit(c) || (is_letter(c) && c != '_')) {
			*p++ = c;
		} else if (p > name && p[-1] != '_') {
			*p++ = '_';
		}
	}
	while (p > name && p[-1] == '_') {
		p--;
	}
	if (p == name || is_digit(*name)) {
		memmove(name + 1, name, (size_t)(p - name));
		*name = 'v';
		p++;
	}
	for (*p = '\0'; is_taken(e, name); *p = '\0') {
		*p++ = '_';
	}
	return name;
}

static struct arg *add_arg(struct event *e, struct arena *a, const char *type, const char *name)
{
	struct arg *arg = &e->args[e->arg_count];

	type_parse_rust(&arg->type, a, type, strlen(type));
	arg->name = arg->c_name = name;
	e->arg_count++;
	return arg;
}

/* ---- The message ---- */

/* A format under construction. `text` is the part before the next placeholder or after the last. */
struct message {
	struct event *event;
	struct arena *arena;
	struct out source; /* text with doubled braces */
	struct out text;
};

static void add_text(struct message *m, struct span text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.text[i] == '{' || text.text[i] == '}') {
			out_char(&m->source, text.text[i]);
		}
		out_char(&m->source, text.text[i]);
		out_char(&m->text, text.text[i]);
	}
}

static void add_string(struct message *m, const char *text)
{
	add_text(m, (struct span){ text, strlen(text) });
}

static const char *copy_of(struct arena *a, const struct out *text)
{
	return text->len > 0 ? arena_strndup(a, text->data, text->len) : "";
}

/* Ends the current text, with a placeholder for the last argument if `has_conversion`. */
static void end_segment(struct message *m, bool has_conversion, enum brace_type type)
{
	struct format *f = &m->event->format;
	struct segment *s = &f->segments[f->count++];
	struct brace_spec *spec = arena_new(m->arena, struct brace_spec);

	*spec = BRACE_SPEC_DEFAULT;
	spec->type = type;
	*s = (struct segment){
		.text = copy_of(m->arena, &m->text),
		.len = m->text.len,
		.has_conversion = has_conversion,
		.conversion = {
			CONVERSION_PLAIN,
			.arg = (int)m->event->arg_count - 1,
			.spec = spec,
		},
	};
	m->text.len = 0;
	if (has_conversion) {
		out_str(&m->source, type == BRACE_DEBUG ? "{:?}" : "{}");
		f->args++;
	}
}

static void add_number(struct message *m, const char *name, bool is_end)
{
	struct arg *arg = add_arg(m->event, m->arena, "i64", name);

	arg->is_scope = strcmp(name, "scope") == 0;
	if (is_end) {
		arg->is_scope = false;
		add_arg(m->event, m->arena, "u32", "scope_tid");
	} else if (!arg->is_scope) {
		add_string(m, "(");
		add_string(m, name);
		add_string(m, ": ");
		end_segment(m, true, BRACE_DISPLAY);
		add_string(m, ")");
	}
}

static void make_message(struct message *m, const struct shape *s)
{
	if (s->number) {
		add_number(m, s->number, s->is_end);
	}
	if (s->has_text) {
		add_arg(m->event, m->arena, "String", "text");
		end_segment(m, true, BRACE_DISPLAY);
	}
	for (size_t i = 0; i < s->field_count; i++) {
		add_arg(m->event, m->arena, "&dyn fmt::Debug",
			field_name(m->arena, m->event, s->fields[i].expression));
		add_string(m, "(");
		add_text(m, s->fields[i].expression);
		add_string(m, ": ");
		end_segment(m, true, BRACE_DEBUG);
		add_string(m, ")");
	}
	if (m->text.len > 0) {
		end_segment(m, false, BRACE_DISPLAY);
	}
}

static const struct event *declare(struct arena *a, const struct shape *s, const char *name)
{
	struct event *e = arena_new(a, struct event);
	size_t most = s->field_count + 3;
	struct message m = { .event = e, .arena = a };

	e->name = e->upper = name;
	e->args = arena_array(a, struct arg, most);
	e->properties =
		s->number && !s->is_end && strcmp(s->number, "scope") == 0 ? EVENT_SCOPE : 0;
	e->format.style = FORMAT_BRACES;
	e->format.segments = arena_array(a, struct segment, most);
	out_init(&m.source, OUT_TO_MEMORY);
	out_init(&m.text, OUT_TO_MEMORY);
	make_message(&m, s);
	e->format.source = copy_of(a, &m.source);
	out_fini(&m.source);
	out_fini(&m.text);
	return e;
}

/* ---- Classes ---- */

static void put_span(struct out *out, struct span s)
{
	if (s.len > 0) {
		out_bytes(out, s.text, s.len);
	}
}

static void put_name(struct out *out, const struct shape *s)
{
	put_span(out, s->category);
	out_str(out, s->category.len > 0 ? ":" : "");
	put_span(out, s->name);
	out_str(out, s->is_end ? "_end" : "");
}

const struct event_class *capture_class(struct capture *c, const struct shape *s)
{
	c->key.len = 0;
	put_name(&c->key, s);
	out_str(&c->key, s->is_end ? "\nend " : s->has_text ? "\ntext " : "\n");
	out_str(&c->key, s->number ? s->number : "");
	for (size_t i = 0; i < s->field_count; i++) {
		out_char(&c->key, '\n');
		put_span(&c->key, s->fields[i].expression);
	}
	out_char(&c->key, '\0');
	const char *key = c->key.data;
	struct event_class *class = hash_get(&c->shapes, key);
	struct arena *a = &c->base.classes.arena;

	if (class) {
		return class;
	}
	if (c->shapes.count >= KERNEL_SHAPES_MAX && !span_equals(s->name, OTHER)) {
		struct shape other = *s;

		other.category = (struct span){ "", 0 };
		other.name = (struct span){ OTHER, strlen(OTHER) };
		other.field_count = 0;
		return capture_class(c, &other);
	}
	const char *copy = arena_strdup(a, key);

	c->key.len = 0;
	put_name(&c->key, s);
	out_char(&c->key, '\0');
	class = classes_add(&c->base.classes, c->key.data);
	class->id = class->index;
	class->event = declare(a, s, class->name);
	return hash_add(&c->shapes, copy, class);
}

const struct event_class *capture_end_class(struct capture *c, const struct event_class *begin)
{
	vec_reach(&c->ends, begin->index);
	const struct event_class **end = &c->ends.items[begin->index];

	if (!*end) {
		const struct shape s = {
			.category = { "", 0 },
			.name = { begin->name, strlen(begin->name) },
			.number = "scope",
			.is_end = true,
		};

		*end = capture_class(c, &s);
	}
	return *end;
}
