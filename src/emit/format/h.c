/* SPDX-License-Identifier: MIT */
/*
 * The generated header: each event's state, and the inline function for the program's call sites,
 * which tests the state. scope.c writes scopes.
 */
#include "emit/c_code.h"
#include "emit/format/scope.h"

/* Not formatted, so that the templates look like their output. */
/* clang-format off */
static const char file_begin[] =
	"${banner}"
	"#ifndef ${guard}\n"
	"#define ${guard}\n"
	"\n"
	"${debug}"
	"${scope}"
	"#include <waymark/event.h>\n"
	"#include <waymark/state.h>\n"
	"\n"
	"${vcpu}"
	"#ifdef __cplusplus\n"
	"extern \"C\" {\n"
	"#endif\n";

static const char event_on[] =
	"\n"
	"/* ${file}:${line} */\n"
	"#define TRACE_${NAME}_ENABLED 1\n"
	"#define TRACE_${NAME}_STATE() ${state}\n"
	"#define TRACE_${NAME}_BACKENDS() WAYMARK_BACKENDS(waymark_state_${name})\n"
	"${vcpu_state}"
	"WAYMARK_LOCAL extern uint32_t waymark_state_${name};\n"
	"${words}"
	"${vcpu_on}"
	"${emit}"
	"WAYMARK_LOCAL ${apart} void waymark_emit_${name}(${placed});\n"
	"static inline void trace_${name}(${parameters})\n"
	"{\n"
	"\tif (${expected}(TRACE_${NAME}_STATE())) {\n"
	"\t\twaymark_emit_${name}(${arguments});\n"
	"\t}\n"
	"}\n"
	"${call}";

/*
 * For TOML events: a macro that has the place of the call, and evaluates the arguments only while
 * the event is on. The function of the same name is for callers that need its address.
 */
static const char call_on[] =
	"#define trace_${name}(${dots}) \\\n"
	"\t(${expected}(TRACE_${NAME}_STATE()) \\\n"
	"\t\t\t? waymark_emit_${name}(${given}) \\\n"
	"\t\t\t: waymark_nothing())\n";

static const char call_off[] =
	"#define trace_${name}(...) (0 ? trace_${name}(__VA_ARGS__) : waymark_nothing())\n";

/*
 * Tests the backends that are on for a vCPU. Calls the runtime only while the event is on for any.
 */
static const char vcpu_state_on[] =
	"#define TRACE_${NAME}_VCPU_STATE(cpu) (TRACE_${NAME}_STATE() ? waymark_on_${name}(cpu) : 0u)\n";

static const char vcpu_state_off[] =
	"#define TRACE_${NAME}_VCPU_STATE(cpu) ((void)(cpu), 0u)\n";

static const char vcpu_on[] =
	"WAYMARK_LOCAL WAYMARK_COLD unsigned int waymark_on_${name}(const void *cpu);\n";

static const char event_off[] =
	"\n"
	"/* ${file}:${line} */\n"
	"#define TRACE_${NAME}_ENABLED 0\n"
	"#define TRACE_${NAME}_STATE() 0\n"
	"#define TRACE_${NAME}_BACKENDS() 0\n"
	"${vcpu_state}"
	"static inline void trace_${name}(${parameters})\n"
	"{\n"
	"${unused}"
	"}\n"
	"${call}";
/* clang-format on */

/* Returns the macro that replaces the function, if it has an advantage. */
static const char *call(struct emit_context *c, const struct event *e)
{
	bool is_on = event_is_on(c, e);

	if (e->format.style != FORMAT_BRACES ||
		(e->arg_count == 0 && !(is_on && c_has_place(c, e)))) {
		return "";
	}
	const char *given = c_given(c, e);

	OUT(c_begin(c), is_on ? call_on : call_off, { "name", e->name }, { "NAME", e->upper },
		{ "expected", c_expected(e) }, { "dots", e->arg_count ? "..." : "" },
		{ "given", given });
	return c_end(c);
}

/* Returns the words of external tracers, in their backends' declarations. */
static const char *words(struct emit_context *c, const struct event *e)
{
	struct out *o = c_begin(c);

	chosen_foreach (c, NULL, row) {
		const struct emit_backend *b = row->backend;

		if (b->declaration) {
			OUT(o, b->declaration, { "name", e->name }, { "provider", c->provider });
			if (e->end) {
				/* The scope is on if a tracer watches its beginning or its end. */
				OUT(o, b->declaration, { "name", e->end->name },
					{ "provider", c->provider });
				OUT(o, "#define TRACE_${NAME}_TRACED() \\\n\t(",
					{ "NAME", e->upper });
				OUT(o, b->watched, { "name", e->name });
				out_str(o, " | \\\n\t\t");
				OUT(o, b->watched, { "name", e->end->name });
				out_str(o, ")\n");
			}
		}
	}
	return c_end(c);
}

/* Returns the expression that a call site tests: all words in one branch. */
static const char *state(struct emit_context *c, const struct event *e)
{
	struct out *o = c_begin(c);
	bool several = false;

	OUT(o, "WAYMARK_STATE(waymark_state_${name})", { "name", e->name });
	chosen_foreach (c, NULL, row) {
		const struct emit_backend *b = row->backend;

		if (b->declaration) {
			out_str(o, " | \\\n\t\t");
			OUT(o, e->end ? "TRACE_${NAME}_TRACED()" : b->watched, { "name", e->name },
				{ "NAME", e->upper });
			several = true;
		}
	}
	return several ? arena_printf(&c->texts, "\\\n\t(%s)", c_end(c)) : c_end(c);
}

/* Returns a text for a `vcpu` event, nothing for others. */
static const char *of_vcpu(struct emit_context *c, const struct event *e, const char *text)
{
	if (!(e->properties & EVENT_VCPU)) {
		return "";
	}
	OUT(c_begin(c), text, { "NAME", e->upper }, { "name", e->name });
	return c_end(c);
}

/* Returns the declaration of a CPU's struct, which need not be complete, if any event has one. */
static const char *vcpu(struct emit_context *c)
{
	vec_foreach (struct event **, e, &c->model->events) {
		if ((*e)->properties & EVENT_VCPU) {
			return arena_printf(&c->texts, "struct %s;\n\n", c->vcpu_tag);
		}
	}
	return "";
}

static void emit_event(struct emit_context *c, const struct event *e)
{
	bool is_on = event_is_on(c, e);
	const struct event *passed = event_passed(e);
	const struct out_hole holes[] = {
		{ "name", e->name },
		{ "NAME", e->upper },
		{ "expected", c_expected(e) },
		{ "apart", c_apart(e) },
		{ "file", c_file_comment(c, e) },
		{ "line", c_number(c, e->line) },
		{ "words", words(c, e) },
		{ "emit", c_renaming(c, "emit", e) },
		{ "state", state(c, e) },
		{ "vcpu_state", of_vcpu(c, e, is_on ? vcpu_state_on : vcpu_state_off) },
		{ "vcpu_on", of_vcpu(c, e, vcpu_on) },
		{ "parameters", c_parameters(c, passed) },
		{ "placed", c_placed_parameters(c, passed) },
		{ "arguments", c_unplaced_arguments(c, passed) },
		{ "call", call(c, e) },
		{ "unused", c_unused(c, passed) },
		{ NULL, NULL },
	};

	out_template(c->out, is_on ? event_on : event_off, holes);
}

void emit_format_h(struct emit_context *c)
{
	OUT(c->out, file_begin, { "banner", c_banner(c) },
		{ "guard", c_guard(c, "TRACE_", "_GENERATED_TRACERS_H") },
		{ "debug", c_needs_debug(c) ? "#include <waymark/debug.h>\n" : "" },
		{ "scope", c_has_scopes(c) ? "#include <waymark/declared_scope.h>\n" : "" },
		{ "vcpu", vcpu(c) });
	vec_foreach (struct event **, e, &c->model->events) {
		if ((*e)->end) {
			emit_scope_h(c, *e, state(c, *e), words(c, *e));
		} else if (!(*e)->begin) {
			emit_event(c, *e);
		}
	}
	out_str(c->out, c_header_end);
}
