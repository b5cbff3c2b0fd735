/* SPDX-License-Identifier: MIT */
/*
 * The functions of a scope in the generated source. What is on when it begins stands in its
 * token, or in its struct, and nothing else is asked when it ends. Beside other backends a
 * recorder has a case of its own, as for events.
 */
#include "emit/c_code.h"
#include "emit/format_c.h"
#include "emit/scope.h"
#include "emit/text.h"

/* The templates read like what they make. */
/* clang-format off */
static const char print_begin[] =
	"\n"
	"WAYMARK_COLD static void print_${name}(struct waymark_scope *waymark_s${comma}${parameters})\n"
	"{\n";

static const char print_message[] =
	"\tstruct waymark_message waymark_m = waymark_message_of(${values}, ${count}, ${place});\n"
	"\n"
	"\twaymark_scope_begins(waymark_s, &waymark_event_${name}, &waymark_m);\n";

static const char print_one[] =
	"\tif (waymark_s->backends & ${mask}) {\n"
	"\t\twaymark_${backend}_message(&waymark_event_${name}, &waymark_m);\n"
	"\t}\n";

static const char print_end_begin[] =
	"\n"
	"WAYMARK_COLD static void print_${name}_end(const struct waymark_scope *waymark_s)\n"
	"{\n"
	"\tstruct waymark_message waymark_m = waymark_scope_ends(waymark_s);\n"
	"\n";

static const char print_end_end[] =
	"\twaymark_scope_ended(waymark_s, &waymark_m);\n"
	"}\n";

static const char begin_begin[] =
	"\n"
	"WAYMARK_COLD static void begin_${name}(struct waymark_scope *waymark_s${comma}${parameters})\n"
	"{\n";

static const char begin_one[] =
	"\tif (waymark_s->backends & ${mask}) {\n"
	"\t\t${backend}_${name}(waymark_s->id${comma}${arguments});\n"
	"\t}\n";

static const char begin_printed[] =
	"\tif (waymark_s->backends & ${masks}) {\n"
	"\t\tprint_${name}(waymark_s${comma}${arguments});\n"
	"\t}\n";

static const char end_begin[] =
	"\n"
	"WAYMARK_COLD static void end_${name}(const struct waymark_scope *waymark_s)\n"
	"{\n";

static const char end_one[] =
	"\tif (waymark_s->backends & ${mask}) {\n"
	"\t\t${backend}_${name}_end(waymark_s->id, waymark_s->tid);\n"
	"\t}\n";

static const char end_printed[] =
	"\tif (waymark_s->backends & ${masks}) {\n"
	"\t\tprint_${name}_end(waymark_s);\n"
	"\t}\n";

static const char function_end[] = "}\n";

static const char on[] =
	"\tunsigned int waymark_on = WAYMARK_BACKENDS(waymark_state_${name});\n"
	"${gap}"
	"${watched}";

static const char several[] =
	"\n"
	"WAYMARK_COLD static uint64_t several_${name}(unsigned int waymark_on${comma}${parameters})\n"
	"{\n"
	"\tuint64_t waymark_token = waymark_scope_token(waymark_on);\n"
	"\tstruct waymark_scope waymark_s = waymark_scope_of(waymark_token);\n"
	"\n"
	"\tbegin_${name}(&waymark_s${comma}${arguments});\n"
	"\treturn waymark_token;\n"
	"}\n";

static const char enter_begin[] =
	"\n"
	"uint64_t waymark_enter_${name}(${parameters_or_void})\n"
	"{\n"
	"${on}"
	"\n";

/* Nothing else is called, so that hardly a register is saved. */
static const char enter_recorder[] =
	"\tif (waymark_on == ${mask}) {\n"
	"\t\tuint64_t waymark_token = waymark_scope_try(${mask});\n"
	"\n"
	"\t\tif (waymark_token) {\n"
	"\t\t\t${backend}_${name}(waymark_scope_id(waymark_token)${comma}${arguments});\n"
	"\t\t\treturn waymark_token;\n"
	"\t\t}\n"
	"\t}\n";

static const char enter_end[] =
	"\treturn several_${name}(waymark_on${comma}${arguments});\n"
	"}\n";

static const char leave_begin[] =
	"\n"
	"void waymark_leave_${name}(uint64_t waymark_token)\n"
	"{\n";

static const char leave_recorder[] =
	"\tuint32_t waymark_tid = waymark_scope_known_tid();\n"
	"\n"
	"\tif (waymark_scope_backends(waymark_token) == ${mask} && waymark_tid) {\n"
	"\t\t${backend}_${name}_end(waymark_scope_id(waymark_token), waymark_tid);\n"
	"\t\treturn;\n"
	"\t}\n";

static const char leave_end[] =
	"\twaymark_scope_leave(waymark_token, end_${name});\n"
	"}\n";

static const char start[] =
	"\n"
	"struct waymark_scope waymark_start_${name}(${parameters_or_void})\n"
	"{\n"
	"${on}"
	"\tstruct waymark_scope waymark_s = waymark_scope_start(waymark_on, end_${name});\n"
	"\n"
	"\tbegin_${name}(&waymark_s${comma}${arguments});\n"
	"\treturn waymark_s;\n"
	"}\n";
/* clang-format on */

struct event scope_call(const struct event *e)
{
	struct event call = *e;

	while (call.arg_count > 0 && call.args->is_scope) {
		call.args++;
		call.arg_count--;
	}
	return call;
}

/* Writes a template for each chosen backend that prints, or for each that does not. */
static void each(struct emit_context *c, const struct event *e, bool prints, const char *line)
{
	struct event call = scope_call(e);

	for (int i = 0; emit_backends[i].name; i++) {
		const struct emit_backend *b = emit_chosen(c, i);

		if (b && b->prints == prints) {
			OUT(c->out, line, { "backend", emit_backends[i].name }, { "name", e->name },
				{ "mask", b->mask }, { "comma", call.arg_count ? ", " : "" },
				{ "arguments", c_arguments(c, &call) });
		}
	}
}

/* `(WAYMARK_LOG | WAYMARK_SYSLOG)`: those that print; "" for none. */
static const char *printing(struct emit_context *c)
{
	struct out *o = c_begin(c);
	size_t count = 0;

	for (int i = 0; emit_backends[i].name; i++) {
		const struct emit_backend *b = emit_chosen(c, i);

		if (b && b->prints) {
			out_str(o, count++ ? " | " : "");
			out_str(o, b->mask);
		}
	}
	const char *masks = c_end(c);

	return count > 1 ? arena_printf(&c->texts, "(%s)", masks) : masks;
}

/* Writes a template of a function that takes what a call does. */
static void of_call(struct emit_context *c, const struct event *e, const char *text)
{
	struct event call = scope_call(e);
	bool more = call.arg_count || c_has_place(c, &call);

	const char *watched = c_watched(c, e);

	OUT(c_begin(c), on, { "name", e->name }, { "gap", *watched ? "\n" : "" },
		{ "watched", watched });
	OUT(c->out, text, { "name", e->name }, { "on", c_end(c) }, { "comma", more ? ", " : "" },
		{ "parameters", more ? c_placed_parameters(c, &call) : "" },
		{ "parameters_or_void", c_placed_parameters(c, &call) },
		{ "arguments", c_placed_arguments(c, &call) }, { "masks", printing(c) });
}

static void emit_prints(struct emit_context *c, const struct event *e)
{
	of_call(c, e, print_begin);
	size_t count = emit_text_values(c, e);

	OUT(c->out, print_message, { "name", e->name },
		{ "values", count ? "waymark_values" : "NULL" }, { "count", c_number(c, count) },
		{ "place", c_has_place(c, e) ? "waymark_file, waymark_line" : "NULL, 0" });
	each(c, e, true, print_one);
	out_str(c->out, function_end);
	OUT(c->out, print_end_begin, { "name", e->name });
	each(c, e, true, print_one);
	out_str(c->out, print_end_end);
}

static void emit_begin_and_end(struct emit_context *c, const struct event *e)
{
	bool prints = *printing(c);

	of_call(c, e, begin_begin);
	each(c, e, false, begin_one);
	if (prints) {
		of_call(c, e, begin_printed);
	}
	out_str(c->out, function_end);
	OUT(c->out, end_begin, { "name", e->name });
	each(c, e, false, end_one);
	if (prints) {
		OUT(c->out, end_printed, { "name", e->name }, { "masks", printing(c) });
	}
	out_str(c->out, function_end);
}

/* A template for the first recorder, if there is one. */
static void of_recorder(struct emit_context *c, const struct event *e, const char *text)
{
	int i = c_first_recorder(c);
	struct event call = scope_call(e);

	if (i >= 0) {
		OUT(c->out, text, { "backend", emit_backends[i].name },
			{ "mask", emit_chosen(c, i)->mask }, { "name", e->name },
			{ "comma", call.arg_count ? ", " : "" },
			{ "arguments", c_arguments(c, &call) });
	}
}

void emit_scope_c(struct emit_context *c, const struct event *e)
{
	if (*printing(c)) {
		emit_prints(c, e);
	}
	emit_begin_and_end(c, e);
	of_call(c, e, several);
	of_call(c, e, enter_begin);
	of_recorder(c, e, enter_recorder);
	of_call(c, e, enter_end);
	OUT(c->out, leave_begin, { "name", e->name });
	of_recorder(c, e, leave_recorder);
	OUT(c->out, leave_end, { "name", e->name });
	of_call(c, e, start);
}
