/* SPDX-License-Identifier: MIT */
/*
 * Writes the code of scopes. In the header, the token is a scalar and its cleanup is inline. The
 * address of a scope never leaves the caller, so that a scope that is off for good leaves no code
 * there. In the source, its token or its struct holds the backends that were on when it began, and
 * its end uses nothing else. As for events, a recorder next to other backends has its own case.
 */
#include "emit/backend/record.h"
#include "emit/backend/text.h"
#include "emit/c_code.h"
#include "emit/format/scope.h"

/* Not formatted, so that the templates look like their output. */
/* clang-format off */
static const char scope_on[] =
	"\n"
	"/* ${file}:${line} */\n"
	"#define TRACE_${NAME}_ENABLED 1\n"
	"#define TRACE_${NAME}_STATE() ${state}\n"
	"#define TRACE_${NAME}_BACKENDS() WAYMARK_BACKENDS(waymark_state_${name})\n"
	"WAYMARK_LOCAL extern uint32_t waymark_state_${name};\n"
	"${words}"
	"${enter}"
	"${start}"
	"WAYMARK_LOCAL ${apart} uint64_t waymark_enter_${name}(${placed});\n"
	"WAYMARK_LOCAL ${apart} void waymark_leave_${name}(uint64_t waymark_token);\n"
	"WAYMARK_LOCAL ${apart} struct waymark_scope waymark_start_${name}(${placed});\n"
	"WAYMARK_MUST_USE static inline uint64_t trace_${name}_enter(${parameters})\n"
	"{\n"
	"\tif (${expected}(TRACE_${NAME}_STATE())) {\n"
	"\t\treturn waymark_enter_${name}(${arguments});\n"
	"\t}\n"
	"\treturn 0;\n"
	"}\n"
	"static inline void trace_${name}_leave(uint64_t *waymark_s)\n"
	"{\n"
	"\tuint64_t waymark_token = *waymark_s;\n"
	"\n"
	"\tif (${expected}(waymark_token)) {\n"
	"\t\t*waymark_s = 0;\n"
	"\t\twaymark_leave_${name}(waymark_token);\n"
	"\t}\n"
	"}\n"
	"WAYMARK_MUST_USE static inline struct waymark_scope trace_${name}_start(${parameters})\n"
	"{\n"
	"\tif (${expected}(TRACE_${NAME}_STATE())) {\n"
	"\t\treturn waymark_start_${name}(${arguments});\n"
	"\t}\n"
	"\treturn waymark_scope_none();\n"
	"}\n"
	"${calls}";

static const char scope_off[] =
	"\n"
	"/* ${file}:${line} */\n"
	"#define TRACE_${NAME}_ENABLED 0\n"
	"#define TRACE_${NAME}_STATE() 0\n"
	"#define TRACE_${NAME}_BACKENDS() 0\n"
	"WAYMARK_MUST_USE static inline uint64_t trace_${name}_enter(${parameters})\n"
	"{\n"
	"${unused}"
	"\treturn 0;\n"
	"}\n"
	"static inline void trace_${name}_leave(uint64_t *waymark_s)\n"
	"{\n"
	"\t(void)waymark_s;\n"
	"}\n"
	"WAYMARK_MUST_USE static inline struct waymark_scope trace_${name}_start(${parameters})\n"
	"{\n"
	"${unused}"
	"\treturn waymark_scope_none();\n"
	"}\n"
	"${calls}";

/*
 * These macros have the place of the call, and evaluate the arguments only while the scope is on.
 */
static const char calls_on[] =
	"#define trace_${name}_enter(${dots}) \\\n"
	"\t(${expected}(TRACE_${NAME}_STATE()) \\\n"
	"\t\t\t? waymark_enter_${name}(${given}) \\\n"
	"\t\t\t: 0)\n"
	"#define trace_${name}_start(${dots}) \\\n"
	"\t(${expected}(TRACE_${NAME}_STATE()) \\\n"
	"\t\t\t? waymark_start_${name}(${given}) \\\n"
	"\t\t\t: waymark_scope_none())\n";

static const char calls_off[] =
	"#define trace_${name}_enter(...) (0 ? trace_${name}_enter(__VA_ARGS__) : 0)\n"
	"#define trace_${name}_start(...) (0 ? trace_${name}_start(__VA_ARGS__) : waymark_scope_none())\n";

static const char scope_macro[] =
	"#define TRACE_${NAME}_SCOPE(${dots}) "
	"WAYMARK_DECLARED_SCOPE(${name}, ${all})\n";
/* clang-format on */

/* Returns the event as a program calls it: without the arguments that are not declared. */
static struct event scope_call(const struct event *e)
{
	struct event call = *e;

	while (call.arg_count > 0 && call.args->is_scope) {
		call.args++;
		call.arg_count--;
	}
	return call;
}

static const char *calls(struct emit_context *c, const struct event *call)
{
	bool is_on = event_is_on(c, call);

	if (call->arg_count == 0 && !(is_on && c_has_place(c, call))) {
		return "";
	}
	const char *given = c_given(c, call);

	OUT(c_begin(c), is_on ? calls_on : calls_off, { "name", call->name },
		{ "NAME", call->upper }, { "expected", c_expected(call) },
		{ "dots", call->arg_count ? "..." : "" }, { "given", given });
	return c_end(c);
}

void emit_scope_h(
	struct emit_context *c, const struct event *e, const char *state, const char *words)
{
	struct event call = scope_call(e);
	bool is_on = event_is_on(c, e);
	bool has_args = call.arg_count > 0;
	const struct out_hole holes[] = {
		{ "name", e->name },
		{ "NAME", e->upper },
		{ "expected", c_expected(e) },
		{ "apart", c_apart(e) },
		{ "file", c_file_comment(c, e) },
		{ "line", c_number(c, e->line) },
		{ "words", words },
		{ "enter", c_renaming(c, "enter", &call) },
		{ "start", c_renaming(c, "start", &call) },
		{ "state", state },
		{ "parameters", c_parameters(c, &call) },
		{ "placed", c_placed_parameters(c, &call) },
		{ "arguments", c_unplaced_arguments(c, &call) },
		{ "calls", calls(c, &call) },
		{ "unused", c_unused(c, &call) },
		{ NULL, NULL },
	};

	out_template(c->out, is_on ? scope_on : scope_off, holes);
	OUT(c->out, scope_macro, { "NAME", e->upper }, { "name", e->name },
		{ "dots", has_args ? "..." : "" }, { "all", has_args ? "__VA_ARGS__" : "" });
}

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
	"${decide}"
	"\tuint64_t waymark_token = waymark_scope_token(waymark_on);\n"
	"\tstruct waymark_scope waymark_s = waymark_scope_of(waymark_token);\n"
	"\n"
	"\tbegin_${name}(&waymark_s${comma}${arguments});\n"
	"\treturn waymark_token;\n"
	"}\n";

/* A scope whose condition is false. */
static const char none_entered[] =
	"\t\tif (!waymark_on) {\n"
	"\t\t\treturn 0;\n"
	"\t\t}\n";

static const char none_started[] =
	"\t\tif (!waymark_on) {\n"
	"\t\t\treturn waymark_scope_none();\n"
	"\t\t}\n";

static const char enter_begin[] =
	"\n"
	"uint64_t waymark_enter_${name}(${parameters_or_void})\n"
	"{\n"
	"${on}"
	"\n";

/* Calls nothing else, so that few registers are saved. */
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
	"${decide}"
	"\tstruct waymark_scope waymark_s = waymark_scope_start(waymark_on, end_${name});\n"
	"\n"
	"\tbegin_${name}(&waymark_s${comma}${arguments});\n"
	"\treturn waymark_s;\n"
	"}\n";
/* clang-format on */

/* Writes a template for each chosen backend that prints, or for each that does not. */
static void each(struct emit_context *c, const struct event *e, bool prints, const char *line)
{
	struct event call = scope_call(e);

	chosen_foreach (c, NULL, row) {
		if (row->backend->prints == prints) {
			OUT(c->out, line, { "backend", row->name }, { "name", e->name },
				{ "mask", row->backend->mask },
				{ "comma", call.arg_count ? ", " : "" },
				{ "arguments", c_arguments(c, &call) });
		}
	}
}

/*
 * Returns the backends that print, such as `(WAYMARK_LOG | WAYMARK_SYSLOG)`; "" if there are none.
 */
static const char *printing(struct emit_context *c)
{
	struct out *o = c_begin(c);
	size_t count = 0;

	chosen_foreach (c, NULL, row) {
		if (row->backend->prints) {
			out_str(o, count++ ? " | " : "");
			out_str(o, row->backend->mask);
		}
	}
	const char *masks = c_end(c);

	return count > 1 ? arena_printf(&c->texts, "(%s)", masks) : masks;
}

/* Writes the template of a function with the parameters of a call. `none`: returns no scope. */
static void of_call_or(
	struct emit_context *c, const struct event *e, const char *text, const char *none)
{
	struct event call = scope_call(e);
	bool more = call.arg_count || c_has_place(c, &call);

	const char *watched = c_watched(c, e);
	const char *decide = emit_record_decide(c, &call, none);

	OUT(c_begin(c), on, { "name", e->name }, { "gap", *watched ? "\n" : "" },
		{ "watched", watched });
	OUT(c->out, text, { "name", e->name }, { "on", c_end(c) }, { "decide", decide },
		{ "comma", more ? ", " : "" },
		{ "parameters", more ? c_placed_parameters(c, &call) : "" },
		{ "parameters_or_void", c_placed_parameters(c, &call) },
		{ "arguments", c_placed_arguments(c, &call) }, { "masks", printing(c) });
}

static void of_call(struct emit_context *c, const struct event *e, const char *text)
{
	of_call_or(c, e, text, "");
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

/* Writes a template for the first recorder, if there is one. */
static void of_recorder(struct emit_context *c, const struct event *e, const char *text)
{
	const struct emit_backend_row *recorder = emit_first_recorder(c);
	struct event call = scope_call(e);

	if (recorder) {
		OUT(c->out, text, { "backend", recorder->name },
			{ "mask", recorder->backend->mask }, { "name", e->name },
			{ "comma", call.arg_count ? ", " : "" },
			{ "arguments", c_arguments(c, &call) });
	}
}

void emit_scope_c(struct emit_context *c, const struct event *e)
{
	if (*printing(c)) {
		of_call(c, e, print_begin);
		size_t count = emit_text_values(c, e);

		OUT(c->out, print_message, { "name", e->name },
			{ "values", count ? "waymark_values" : "NULL" },
			{ "count", c_number(c, count) },
			{ "place", c_has_place(c, e) ? "waymark_file, waymark_line" : "NULL, 0" });
		each(c, e, true, print_one);
		out_str(c->out, function_end);
		OUT(c->out, print_end_begin, { "name", e->name });
		each(c, e, true, print_one);
		out_str(c->out, print_end_end);
	}
	emit_begin_and_end(c, e);
	of_call_or(c, e, several, none_entered);
	of_call(c, e, enter_begin);
	of_recorder(c, e, enter_recorder);
	of_call(c, e, enter_end);
	OUT(c->out, leave_begin, { "name", e->name });
	of_recorder(c, e, leave_recorder);
	OUT(c->out, leave_end, { "name", e->name });
	of_call_or(c, e, start, none_started);
}
