/* SPDX-License-Identifier: MIT */
/* What the generated source says of an event to the runtime: its arguments, its descriptor. */
#include <string.h>

#include "emit/c_code.h"
#include "emit/format_c.h"

/* The templates read like what they make. */
/* clang-format off */
static const char args_begin[] =
	"\n"
	"static const struct waymark_arg waymark_args_${name}[] = {\n";

static const char arg_entry[] = "\t{ \"${name}\", \"${type}\", ${kind}, ${size} },\n";

static const char args_end[] = "};\n";

static const char event_descriptor[] =
	"\n"
	"static struct waymark_event waymark_event_${name} = {\n"
	"\t&waymark_state_${state},\n"
	"\t\"${name}\",\n"
	"\t${format},\n"
	"\t${file},\n"
	"\t${args},\n"
	"\t${line},\n"
	"\t${masks},\n"
	"\t${count},\n"
	"\t${flags},\n"
	"\t0,\n"
	"\tNULL,\n"
	"\t${end},\n"
	"};\n";
/* clang-format on */

#define MASKS_OF_A_LINE 5

const char *c_masks(struct emit_context *c, const struct event *e)
{
	struct out *o = c_begin(c);
	size_t count = 0;

	for (int i = 0; emit_backends[i].name; i++) {
		const struct emit_backend *b = emit_chosen_for(c, i, e);

		if (b) {
			out_str(o, count == 0 ? "" : count % MASKS_OF_A_LINE ? " | " : " |\n\t\t");
			out_str(o, b->mask);
			count++;
		}
	}
	return c_end(c);
}

/* The properties that the runtime has to know. */
static const char *flags(struct emit_context *c, const struct event *e)
{
	static const struct {
		unsigned int property;
		const char *flag;
	} table[] = {
		{ EVENT_VCPU, "WAYMARK_EVENT_VCPU" },
		{ EVENT_TCG_TRANS, "WAYMARK_EVENT_TRANS" },
		{ EVENT_TCG_EXEC, "WAYMARK_EVENT_EXEC" },
		{ EVENT_SCOPE, "WAYMARK_EVENT_SCOPE" },
		{ EVENT_SCOPE_END, "WAYMARK_EVENT_SCOPE_END" },
	};
	struct out *o = c_begin(c);

	out_str(o, e->format.style == FORMAT_BRACES ? "WAYMARK_EVENT_BRACES" : "");
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (e->properties & table[i].property) {
			OUT(o, "${or}${flag}", { "or", o->len ? " | " : "" },
				{ "flag", table[i].flag });
		}
	}
	return o->len ? c_end(c) : "0";
}

static const char *kind(const struct type *t)
{
	static const char *const kinds[] = {
		[TYPE_FLOAT] = "WAYMARK_FLOAT",
		[TYPE_POINTER] = "WAYMARK_POINTER",
		[TYPE_STRING] = "WAYMARK_STRING",
		[TYPE_TEXT] = "WAYMARK_TEXT",
		[TYPE_BYTES] = "WAYMARK_BYTES",
		[TYPE_DEBUG] = "WAYMARK_DEBUG",
		[TYPE_TCG] = NULL,
	};

	if (kinds[t->class]) {
		return kinds[t->class];
	}
	if (t->is_char) {
		return "WAYMARK_CHAR";
	}
	return t->is_signed ? "WAYMARK_SIGNED" : "WAYMARK_UNSIGNED";
}

/* In bytes; 0 of what has no size of its own; of text of old declarations what simple has. */
static const char *size(struct emit_context *c, const struct arg *a)
{
	const struct type *t = &a->type;

	if (a->source != ARG_FROM_CALL) {
		return a->source == ARG_FROM_BYTES ? "sizeof(void *)" : "WAYMARK_NOT_IN_SIMPLE";
	}
	if (t->class != TYPE_INTEGER && t->class != TYPE_FLOAT && t->class != TYPE_POINTER) {
		return "0";
	}
	OUT(c_begin(c), "sizeof(${type})", { "type", t->c_text });
	return c_end(c);
}

static void emit_args(struct emit_context *c, const struct event *e)
{
	if (e->arg_count == 0) {
		return;
	}
	OUT(c->out, args_begin, { "name", e->name });
	for (size_t i = 0; i < e->arg_count; i++) {
		const struct arg *a = &e->args[i];

		OUT(c->out, arg_entry, { "name", a->name }, { "type", a->type.text },
			{ "kind", kind(&a->type) }, { "size", size(c, a) });
	}
	out_str(c->out, args_end);
}

static const char *args_name(struct emit_context *c, const struct event *e)
{
	if (e->arg_count == 0) {
		return "NULL";
	}
	OUT(c_begin(c), "waymark_args_${name}", { "name", e->name });
	return c_end(c);
}

/* Of a scope's end: the word is the scope's. */
static const char *state_name(const struct event *e)
{
	return e->begin ? e->begin->name : e->name;
}

static const char *end_name(struct emit_context *c, const struct event *e)
{
	return e->end ? arena_printf(&c->texts, "&waymark_event_%s", e->end->name) : "NULL";
}

void emit_descriptor(struct emit_context *c, const struct event *e)
{
	const struct out_hole holes[] = {
		{ "name", e->name },
		{ "state", state_name(e) },
		{ "format", c_literal(c, e->format.source ? e->format.source : "") },
		{ "file", c_file_literal(c, e) },
		{ "line", c_number(c, e->line) },
		{ "args", args_name(c, e) },
		{ "count", c_number(c, e->arg_count) },
		{ "masks", c_masks(c, e) },
		{ "flags", flags(c, e) },
		{ "end", end_name(c, e) },
		{ NULL, NULL },
	};

	emit_args(c, e);
	out_template(c->out, event_descriptor, holes);
}
