/* SPDX-License-Identifier: MIT */
/* The generated header: what a program's call sites see of its events. */
#include "emit/c_code.h"
#include "emit/scope.h"

/* The templates read like what they make. */
/* clang-format off */
static const char file_begin[] =
	"${banner}"
	"#ifndef ${guard}\n"
	"#define ${guard}\n"
	"\n"
	"${debug}"
	"${scope}"
	"#include <waymark/event.h>\n"
	"\n"
	"${vcpu}"
	"#ifdef __cplusplus\n"
	"extern \"C\" {\n"
	"#endif\n";

static const char event_on[] =
	"\n"
	"/* ${file}:${line} */\n"
	"${begin}"
	"#define TRACE_${NAME}_ENABLED 1\n"
	"#define TRACE_${NAME}_STATE() ${state}\n"
	"#define TRACE_${NAME}_BACKENDS() WAYMARK_BACKENDS(waymark_state_${name})\n"
	"${vcpu_state}"
	"WAYMARK_HIDDEN extern uint32_t waymark_state_${name};\n"
	"${words}"
	"${vcpu_on}"
	"WAYMARK_HIDDEN WAYMARK_COLD void waymark_emit_${name}(${parameters});\n"
	"static inline void trace_${name}${at}(${parameters})\n"
	"{\n"
	"\tif (WAYMARK_UNLIKELY(TRACE_${NAME}_STATE())) {\n"
	"\t\twaymark_emit_${name}(${arguments});\n"
	"\t}\n"
	"}\n"
	"${call}"
	"${end}";

/* The place of the call is known to the preprocessor alone. */
static const char placed_call[] =
	"#define trace_${name}(${dots}) trace_${name}${at}(__FILE__, __LINE__${rest})\n";

/* Values that say themselves what they are cost something to make: not while the event is off. */
static const char late_call[] =
	"#define trace_${name}(...) (WAYMARK_UNLIKELY(TRACE_${NAME}_STATE()) "
	"? waymark_emit_${name}(${place}__VA_ARGS__) : waymark_nothing())\n";

static const char no_call[] =
	"#define trace_${name}(...) (0 ? trace_${name}(__VA_ARGS__) : waymark_nothing())\n";

/* What is on for a vCPU: asked of the runtime only where the event is on at all. */
static const char vcpu_state_on[] =
	"#define TRACE_${NAME}_VCPU_STATE(cpu) (TRACE_${NAME}_STATE() ? waymark_on_${name}(cpu) : 0u)\n";

static const char vcpu_state_off[] =
	"#define TRACE_${NAME}_VCPU_STATE(cpu) ((void)(cpu), 0u)\n";

static const char vcpu_on[] =
	"WAYMARK_HIDDEN WAYMARK_COLD unsigned int waymark_on_${name}(const void *cpu);\n";

static const char event_off[] =
	"\n"
	"/* ${file}:${line} */\n"
	"${begin}"
	"#define TRACE_${NAME}_ENABLED 0\n"
	"#define TRACE_${NAME}_STATE() 0\n"
	"#define TRACE_${NAME}_BACKENDS() 0\n"
	"${vcpu_state}"
	"static inline void trace_${name}(${parameters})\n"
	"{\n"
	"${unused}"
	"}\n"
	"${call}"
	"${end}";
/* clang-format on */

/* What the function is called that a macro gives the place to: no event has its name. */
static const char *at(struct emit_context *c, const struct event *e)
{
	const char *at = c_has_place(c, e) ? "_at" : "";

	while (*at && model_find(c->model, arena_printf(&c->texts, "%s%s", e->name, at))) {
		at = arena_printf(&c->texts, "%s_", at);
	}
	return at;
}

static bool has_debug(const struct event *e)
{
	for (size_t i = 0; i < e->arg_count; i++) {
		if (e->args[i].type.class == TYPE_DEBUG) {
			return true;
		}
	}
	return false;
}

/* The macro that is called in the place of the function, where the event has one. */
static const char *call(struct emit_context *c, const struct event *e)
{
	bool has_place = c_has_place(c, e);
	bool has_args = e->arg_count > 0;
	const char *name = at(c, e);
	const char *text = has_place && event_is_on(c, e) ? placed_call : "";

	if (has_debug(e)) {
		text = event_is_on(c, e) ? late_call : no_call;
	}
	OUT(c_begin(c), text, { "name", e->name }, { "NAME", e->upper }, { "at", name },
		{ "place", has_place ? "__FILE__, __LINE__, " : "" },
		{ "dots", has_args ? "..." : "" }, { "rest", has_args ? ", __VA_ARGS__" : "" });
	return c_end(c);
}

/* The end of a scope has words of its own; whoever watches one of both has the scope on. */
static void put_words_of_end(
	struct emit_context *c, const struct emit_backend *b, const struct event *e)
{
	struct out *o = &c->scratch;

	OUT(o, b->declaration, { "name", e->end->name }, { "provider", c->provider });
	OUT(o, "#define TRACE_${NAME}_TRACED() (", { "NAME", e->upper });
	OUT(o, b->watched, { "name", e->name });
	out_str(o, " | ");
	OUT(o, b->watched, { "name", e->end->name });
	out_str(o, ")\n");
}

/* The words of tracers outside, as their backends declare them. */
static const char *words(struct emit_context *c, const struct event *e)
{
	struct out *o = c_begin(c);

	for (int i = 0; emit_backends[i].name; i++) {
		const struct emit_backend *b = emit_chosen(c, i);

		if (b && b->declaration) {
			OUT(o, b->declaration, { "name", e->name }, { "provider", c->provider });
			if (e->end) {
				put_words_of_end(c, b, e);
			}
		}
	}
	return c_end(c);
}

/* What a call site tests: all words in one branch. */
static const char *state(struct emit_context *c, const struct event *e)
{
	struct out *o = c_begin(c);
	bool several = false;

	OUT(o, "WAYMARK_STATE(waymark_state_${name})", { "name", e->name });
	for (int i = 0; emit_backends[i].name; i++) {
		const struct emit_backend *b = emit_chosen(c, i);

		if (b && b->declaration) {
			out_str(o, " | ");
			OUT(o, e->end ? "TRACE_${NAME}_TRACED()" : b->watched, { "name", e->name },
				{ "NAME", e->upper });
			several = true;
		}
	}
	return several ? arena_printf(&c->texts, "(%s)", c_end(c)) : c_end(c);
}

/* A text of a `vcpu` event, nothing of others. */
static const char *of_vcpu(struct emit_context *c, const struct event *e, const char *text)
{
	if (!(e->properties & EVENT_VCPU)) {
		return "";
	}
	OUT(c_begin(c), text, { "NAME", e->upper }, { "name", e->name });
	return c_end(c);
}

/* The struct of a CPU, which the header need not know, where an event has one. */
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
	const struct out_hole holes[] = {
		{ "name", e->name },
		{ "NAME", e->upper },
		{ "file", c_file_comment(c, e) },
		{ "line", c_number(c, e->line) },
		{ "begin", c_event_begin(e) },
		{ "end", c_event_end(e) },
		{ "words", words(c, e) },
		{ "state", state(c, e) },
		{ "vcpu_state", of_vcpu(c, e, is_on ? vcpu_state_on : vcpu_state_off) },
		{ "vcpu_on", of_vcpu(c, e, vcpu_on) },
		{ "parameters", is_on ? c_placed_parameters(c, e) : c_parameters(c, e) },
		{ "arguments", c_placed_arguments(c, e) },
		{ "at", at(c, e) },
		{ "call", call(c, e) },
		{ "unused", c_unused(c, e) },
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
