/* SPDX-License-Identifier: MIT */
/*
 * The functions of waymark/debug.h for callbacks. Each forwards the call to the formatter's
 * builder, which writes text (render.c) or the tokens of a tree (tree_build.c).
 */
#include <string.h>

#include "brace/internal.h"

/* Replaces NULL, as a program's table of names may lack one. */
static const char *name_of(const char *name)
{
	return name ? name : "(null)";
}

static void begin(struct waymark_group *g, struct waymark_formatter *f, enum brace_group_kind kind,
	const char *name)
{
	memset(g, 0, sizeof(*g));
	g->formatter = f;
	g->kind = kind;
	name = name_of(name);
	f->to->begin(g, name, strlen(name));
}

void waymark_debug_struct(struct waymark_group *g, struct waymark_formatter *f, const char *name)
{
	begin(g, f, BRACE_STRUCT, name);
}

void waymark_debug_tuple(struct waymark_group *g, struct waymark_formatter *f, const char *name)
{
	begin(g, f, BRACE_TUPLE, name);
}

void waymark_debug_list(struct waymark_group *g, struct waymark_formatter *f)
{
	begin(g, f, BRACE_LIST, "");
}

void waymark_debug_set(struct waymark_group *g, struct waymark_formatter *f)
{
	begin(g, f, BRACE_SET, "");
}

void waymark_debug_map(struct waymark_group *g, struct waymark_formatter *f)
{
	begin(g, f, BRACE_MAP, "");
}

void waymark_debug_field(struct waymark_group *g, const char *name, struct waymark_debug value)
{
	name = name_of(name);
	g->formatter->to->field(g, name, strlen(name));
	g->formatter->to->value(g->formatter, &value);
}

void waymark_debug_entry(struct waymark_group *g, struct waymark_debug value)
{
	g->formatter->to->field(g, NULL, 0);
	g->formatter->to->value(g->formatter, &value);
}

void waymark_debug_pair(
	struct waymark_group *g, struct waymark_debug key, struct waymark_debug value)
{
	waymark_debug_entry(g, key);
	g->formatter->to->colon(g);
	g->formatter->to->value(g->formatter, &value);
}

void waymark_debug_end(struct waymark_group *g)
{
	g->formatter->to->end(g, false);
}

void waymark_debug_end_more(struct waymark_group *g)
{
	g->formatter->to->end(g, true);
}

void waymark_debug_name(struct waymark_formatter *f, const char *name)
{
	name = name_of(name);
	f->to->name(f, name, strlen(name));
}

void waymark_debug_unit(struct waymark_formatter *f)
{
	f->to->unit(f);
}

void waymark_debug_variant(
	struct waymark_formatter *f, const char *name, struct waymark_debug value)
{
	struct waymark_group g;

	waymark_debug_tuple(&g, f, name);
	waymark_debug_entry(&g, value);
	waymark_debug_end(&g);
}

void waymark_debug_some(struct waymark_formatter *f, struct waymark_debug value)
{
	waymark_debug_variant(f, "Some", value);
}

void waymark_debug_none(struct waymark_formatter *f)
{
	waymark_debug_name(f, "None");
}

void waymark_debug_value(struct waymark_formatter *f, struct waymark_debug value)
{
	f->to->value(f, &value);
}

void waymark_debug_verbatim(struct waymark_formatter *f, const char *text, size_t length)
{
	if (text) {
		f->to->verbatim(f, text, length);
	}
}

bool waymark_debug_is_pretty(const struct waymark_formatter *f)
{
	return f->spec.alternate;
}

bool waymark_debug_is_hex(const struct waymark_formatter *f)
{
	return f->spec.type == BRACE_DEBUG_LOWER || f->spec.type == BRACE_DEBUG_UPPER;
}

void brace_call(struct waymark_formatter *f, const struct waymark_debug *object)
{
	if (f->calls == BRACE_CALLS_MAX) {
		f->to->verbatim(f, "...", 3);
	} else if (object->as.call.render) {
		f->calls++;
		object->as.call.render(f, object->as.call.object);
		f->calls--;
	}
}
