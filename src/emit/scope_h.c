/* SPDX-License-Identifier: MIT */
/*
 * What call sites see of a scope. The token is a scalar and its cleanup is inline: the address
 * of a scope never leaves the caller, so that one that is off for good leaves nothing there.
 */
#include "emit/c_code.h"
#include "emit/scope.h"

/* The templates read like what they make. */
/* clang-format off */
static const char scope_on[] =
	"\n"
	"/* ${file}:${line} */\n"
	"${begin}"
	"#define TRACE_${NAME}_ENABLED 1\n"
	"#define TRACE_${NAME}_STATE() ${state}\n"
	"#define TRACE_${NAME}_BACKENDS() WAYMARK_BACKENDS(waymark_state_${name})\n"
	"WAYMARK_HIDDEN extern uint32_t waymark_state_${name};\n"
	"${words}"
	"WAYMARK_HIDDEN WAYMARK_COLD uint64_t waymark_enter_${name}(${parameters});\n"
	"WAYMARK_HIDDEN WAYMARK_COLD void waymark_leave_${name}(uint64_t waymark_token);\n"
	"WAYMARK_HIDDEN WAYMARK_COLD struct waymark_scope waymark_start_${name}(${parameters});\n"
	"WAYMARK_MUST_USE static inline uint64_t trace_${name}_enter${at}(${parameters})\n"
	"{\n"
	"\tif (WAYMARK_UNLIKELY(TRACE_${NAME}_STATE())) {\n"
	"\t\treturn waymark_enter_${name}(${arguments});\n"
	"\t}\n"
	"\treturn 0;\n"
	"}\n"
	"static inline void trace_${name}_leave(uint64_t *waymark_s)\n"
	"{\n"
	"\tuint64_t waymark_token = *waymark_s;\n"
	"\n"
	"\tif (WAYMARK_UNLIKELY(waymark_token)) {\n"
	"\t\t*waymark_s = 0;\n"
	"\t\twaymark_leave_${name}(waymark_token);\n"
	"\t}\n"
	"}\n"
	"WAYMARK_MUST_USE static inline struct waymark_scope trace_${name}_start${at}(${parameters})\n"
	"{\n"
	"\tif (WAYMARK_UNLIKELY(TRACE_${NAME}_STATE())) {\n"
	"\t\treturn waymark_start_${name}(${arguments});\n"
	"\t}\n"
	"\treturn waymark_scope_none();\n"
	"}\n"
	"${calls}";

static const char scope_off[] =
	"\n"
	"/* ${file}:${line} */\n"
	"${begin}"
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
	"}\n";

/* The place of the call is known to the preprocessor alone. */
static const char placed_calls[] =
	"#define trace_${name}_enter(${dots}) trace_${name}_enter_at(__FILE__, __LINE__${rest})\n"
	"#define trace_${name}_start(${dots}) trace_${name}_start_at(__FILE__, __LINE__${rest})\n";

static const char scope_macro[] =
	"#define TRACE_${NAME}_SCOPE(${dots}) "
	"WAYMARK_SCOPE(${name}, ${all})\n"
	"${end}";
/* clang-format on */

static const char *calls(struct emit_context *c, const struct event *call)
{
	bool has_args = call->arg_count > 0;

	if (!c_has_place(c, call)) {
		return "";
	}
	OUT(c_begin(c), placed_calls, { "name", call->name }, { "dots", has_args ? "..." : "" },
		{ "rest", has_args ? ", __VA_ARGS__" : "" });
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
		{ "file", c_file_comment(c, e) },
		{ "line", c_number(c, e->line) },
		{ "begin", c_event_begin(e) },
		{ "words", words },
		{ "state", state },
		{ "parameters", is_on ? c_placed_parameters(c, &call) : c_parameters(c, &call) },
		{ "arguments", c_placed_arguments(c, &call) },
		{ "at", c_has_place(c, e) ? "_at" : "" },
		{ "calls", calls(c, &call) },
		{ "unused", c_unused(c, &call) },
		{ NULL, NULL },
	};

	out_template(c->out, is_on ? scope_on : scope_off, holes);
	OUT(c->out, scope_macro, { "NAME", e->upper }, { "name", e->name },
		{ "dots", has_args ? "..." : "" }, { "all", has_args ? "__VA_ARGS__" : "" },
		{ "end", c_event_end(e) });
}
