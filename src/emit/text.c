/* SPDX-License-Identifier: MIT */
/* See text.h. */
#include "emit/text.h"

#include "emit/c_code.h"

/* The templates read like what they make. */
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

/* What the placeholders show, in their order; returns how many there are. */
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

static bool is_shown(const struct event *e, size_t arg)
{
	for (size_t i = 0; i < e->format.count; i++) {
		const struct segment *s = &e->format.segments[i];

		if (s->has_conversion && s->conversion.arg == (int)arg) {
			return true;
		}
	}
	return false;
}

/* What no placeholder shows. */
static void emit_unused(struct emit_context *c, const struct event *e)
{
	for (size_t i = 0; i < e->arg_count; i++) {
		if (!is_shown(e, i) && !e->args[i].is_scope) {
			OUT(c->out, unused, { "name", e->args[i].c_name });
		}
	}
}

size_t emit_text_values(struct emit_context *c, const struct event *e)
{
	size_t count = emit_values_array(c, e);

	emit_unused(c, e);
	return count;
}

static bool takes_place(const char *backend)
{
	return emit_backends[emit_find_backend(backend)].backend->takes_place;
}

static void emit_braces(struct emit_context *c, const struct event *e, const char *backend)
{
	bool has_place = takes_place(backend);

	OUT(c->out, braces_begin, { "backend", backend }, { "name", e->name },
		{ "parameters", has_place ? c_placed_parameters(c, e) : c_parameters(c, e) });
	size_t count = emit_text_values(c, e);

	OUT(c->out, braces_end, { "backend", backend }, { "name", e->name },
		{ "values", count ? "waymark_values" : "NULL" }, { "count", c_number(c, count) },
		{ "place", has_place ? "waymark_file, waymark_line" : "NULL, 0" });
}

void emit_text(struct emit_context *c, const struct event *e, const char *backend)
{
	if (e->format.style == FORMAT_BRACES) {
		emit_braces(c, e, backend);
		return;
	}
	OUT(c->out, function, { "backend", backend }, { "name", e->name },
		{ "parameters", c_parameters(c, e) }, { "printf", c_printf(c, e) });
}
