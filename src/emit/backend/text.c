/* SPDX-License-Identifier: MIT */
/*
 * The backends that print an event as a line of text, `<name> <message>`. For each the runtime has
 * a printf-like function, and one for messages with braces. They are the rows of
 * waymark/backends.def whose kind begins with `text`.
 */
#include "emit/backend/text.h"

#include "emit/c_code.h"

/* Not formatted, so that the templates look like their output. */
/* clang-format off */
static const char function[] =
	"\n"
	"static void ${backend}_${name}(${parameters})\n"
	"{\n"
	"\twaymark_${backend}(&waymark_event_${name}, ${printf});\n"
	"}\n";

static const char braces_begin[] =
	"\n"
	"static void ${backend}_${name}(${parameters})\n"
	"{\n";

static const char values_begin[] = "\tconst struct waymark_debug waymark_values[] = {\n";

static const char value[] = "\t\twaymark_debug_${maker}(${value}),\n";

static const char values_end[] = "\t};\n";

static const char unused[] = "\t(void)${name};\n";

static const char braces_end[] =
	"\tstruct waymark_message waymark_m = waymark_message_of(${values}, ${count}, ${place});\n"
	"\n"
	"\twaymark_${backend}_message(&waymark_event_${name}, &waymark_m);\n"
	"}\n";
/* clang-format on */

/* Writes the values of the placeholders, in their order; returns their number. */
static size_t emit_values_array(struct emit_context *c, const struct event *e)
{
	size_t count = 0;

	for (size_t i = 0; i < e->format.count; i++) {
		const struct segment *s = &e->format.segments[i];

		if (!s->has_conversion) {
			continue;
		}
		size_t arg = (size_t)s->conversion.arg;

		out_str(c->out, count++ ? "" : values_begin);
		OUT(c->out, value, { "maker", e->args[arg].type.maker },
			{ "value", c_value(c, e, arg) });
	}
	out_str(c->out, count ? values_end : "");
	return count;
}

size_t emit_text_values(struct emit_context *c, const struct event *e)
{
	size_t count = emit_values_array(c, e);

	for (size_t i = 0; i < e->arg_count; i++) {
		if (!format_conversion_of(&e->format, i) && !e->args[i].is_scope) {
			OUT(c->out, unused, { "name", e->args[i].c_name });
		}
	}
	return count;
}

static void emit_function(
	struct emit_context *c, const struct event *e, const struct emit_backend_row *row)
{
	if (e->format.style == FORMAT_BRACES) {
		bool has_place = row->backend->takes_place;

		OUT(c->out, braces_begin, { "backend", row->name }, { "name", e->name },
			{ "parameters",
				has_place ? c_placed_parameters(c, e) : c_parameters(c, e) });
		size_t count = emit_text_values(c, e);

		OUT(c->out, braces_end, { "backend", row->name }, { "name", e->name },
			{ "values", count ? "waymark_values" : "NULL" },
			{ "count", c_number(c, count) },
			{ "place", has_place ? "waymark_file, waymark_line" : "NULL, 0" });
		return;
	}
	OUT(c->out, function, { "backend", row->name }, { "name", e->name },
		{ "parameters", c_parameters(c, e) }, { "printf", c_printf(c, e) });
}

/* The extra members of a kind of printing backend. */
#define KIND_text
#define KIND_text_place .takes_place = true,
#define KIND_text_scope .scopes_only = true,

/* clang-format off */
#define TEXT_BACKEND(bit, upper, lower, kind, help) \
	WAYMARK_IF_PRINTS_##kind(const struct emit_backend emit_backend_##lower = { \
		.mask = "WAYMARK_" #upper, \
		.prints = true, \
		.emit_function = emit_function, \
		KIND_##kind \
	};)

WAYMARK_ALL_BACKENDS(TEXT_BACKEND)
/* clang-format on */
