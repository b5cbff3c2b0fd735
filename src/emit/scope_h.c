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
	"#define TRACE_${NAME}_ENABLED 1\n"
	"#define TRACE_${NAME}_STATE() ${state}\n"
	"#define TRACE_${NAME}_BACKENDS() WAYMARK_BACKENDS(waymark_state_${name})\n"
	"WAYMARK_HIDDEN extern uint32_t waymark_state_${name};\n"
	"${words}"
	"${enter}"
	"${start}"
	"WAYMARK_HIDDEN WAYMARK_COLD uint64_t waymark_enter_${name}(${placed});\n"
	"WAYMARK_HIDDEN WAYMARK_COLD void waymark_leave_${name}(uint64_t waymark_token);\n"
	"WAYMARK_HIDDEN WAYMARK_COLD struct waymark_scope waymark_start_${name}(${placed});\n"
	"WAYMARK_MUST_USE static inline uint64_t trace_${name}_enter(${parameters})\n"
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
	"WAYMARK_MUST_USE static inline struct waymark_scope trace_${name}_start(${parameters})\n"
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

/* They know the place of the call, and make the arguments only while the scope is on. */
static const char calls_on[] =
	"#define trace_${name}_enter(${dots}) \\\n"
	"\t(WAYMARK_UNLIKELY(TRACE_${NAME}_STATE()) \\\n"
	"\t\t\t? waymark_enter_${name}(${given}) \\\n"
	"\t\t\t: 0)\n"
	"#define trace_${name}_start(${dots}) \\\n"
	"\t(WAYMARK_UNLIKELY(TRACE_${NAME}_STATE()) \\\n"
	"\t\t\t? waymark_start_${name}(${given}) \\\n"
	"\t\t\t: waymark_scope_none())\n";

static const char calls_off[] =
	"#define trace_${name}_enter(...) (0 ? trace_${name}_enter(__VA_ARGS__) : 0)\n"
	"#define trace_${name}_start(...) (0 ? trace_${name}_start(__VA_ARGS__) : waymark_scope_none())\n";

static const char scope_macro[] =
	"#define TRACE_${NAME}_SCOPE(${dots}) "
	"WAYMARK_DECLARED_SCOPE(${name}, ${all})\n";
/* clang-format on */

static const char *calls(struct emit_context *c, const struct event *call)
{
	bool is_on = event_is_on(c, call);

	if (call->arg_count == 0 && !(is_on && c_has_place(c, call))) {
		return "";
	}
	const char *given = c_given(c, call);

	OUT(c_begin(c), is_on ? calls_on : calls_off, { "name", call->name },
		{ "NAME", call->upper }, { "dots", call->arg_count ? "..." : "" },
		{ "given", given });
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
