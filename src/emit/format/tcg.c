/* SPDX-License-Identifier: MIT */
/* Events of translated code: the function that translators call. */
#include "emit/format/tcg.h"

#include <string.h>

/* Not formatted, so that the templates look like their output. */
/* clang-format off */
static const char event_begin[] =
	"\n"
	"/* ${file}:${line} */\n";

static const char function_on[] =
	"static inline void trace_${whole}_tcg(${parameters})\n"
	"{\n"
	"\ttrace_${whole}_trans(${known});\n"
	"\tif (WAYMARK_UNLIKELY(TRACE_${NAME}_${state})) {\n"
	"\t\twaymark_translate_${whole}(${arguments});\n"
	"\t}\n"
	"}\n";

static const char function_off[] =
	"static inline void trace_${whole}_tcg(${parameters})\n"
	"{\n"
	"${unused}"
	"}\n";
/* clang-format on */

void tcg_for_each(struct emit_context *c,
	void (*emit_event)(struct emit_context *c, const struct event *exec))
{
	vec_foreach (struct event **, e, &c->model->events) {
		if ((*e)->trans) {
			emit_event(c, *e);
		}
	}
}

const char *tcg_name(struct emit_context *c, const struct event *exec, size_t i)
{
	const char *name = exec->args[i].c_name;
	const char *called = arena_printf(&c->texts, "trace_%s", exec->trans->name);

	/*
	 * Functions that are called by name in the scope of the arguments, including QEMU's code
	 * generator.
	 */
	if (strncmp(name, "tcg_", strlen("tcg_")) == 0 || strcmp(name, called) == 0) {
		return c_renamed(c, exec, name);
	}
	return name;
}

static void write_parameter(struct out *o, const char *type, const char *name)
{
	out_str(o, type);
	out_str(o, type[strlen(type) - 1] == '*' ? "" : " ");
	out_str(o, name);
}

static const char *type_of(
	struct emit_context *c, const struct arg *a, const struct tcg_types *types)
{
	if (a->is_cpu) {
		return c_vcpu_type(c);
	}
	if (!a->guest_type) {
		return a->type.text;
	}
	return types->value ? types->value : a->guest_type;
}

static const char *parameters(struct emit_context *c, const struct event *exec,
	const struct tcg_types *types, bool with_cpu)
{
	struct out *o = c_begin(c);

	for (size_t i = 0; i < exec->arg_count; i++) {
		bool is_cpu = exec->args[i].is_cpu;

		out_str(o, i ? ", " : "");
		if (!is_cpu || with_cpu) {
			write_parameter(o, type_of(c, &exec->args[i], types), tcg_name(c, exec, i));
		}
		out_str(o, is_cpu && with_cpu ? ", " : "");
		if (is_cpu) {
			write_parameter(o, types->env, TCG_ENV);
		}
	}
	return exec->arg_count ? c_end(c) : "void";
}

const char *tcg_parameters(
	struct emit_context *c, const struct event *exec, const struct tcg_types *types)
{
	return parameters(c, exec, types, !types->without_cpu);
}

/* Returns the arguments of waymark_translate_<event>(). */
static const char *arguments(struct emit_context *c, const struct event *exec, bool with_cpu)
{
	struct out *o = c_begin(c);

	for (size_t i = 0; i < exec->arg_count; i++) {
		bool is_cpu = exec->args[i].is_cpu;

		out_str(o, i ? ", " : "");
		out_str(o, is_cpu && !with_cpu ? TCG_ENV : tcg_name(c, exec, i));
		out_str(o, is_cpu && with_cpu ? ", " TCG_ENV : "");
	}
	return c_end(c);
}

/* Returns the arguments of the half at translation. */
static const char *known(struct emit_context *c, const struct event *exec)
{
	struct out *o = c_begin(c);

	for (size_t i = 0; i < exec->arg_count; i++) {
		if (!exec->args[i].guest_type) {
			out_str(o, o->len ? ", " : "");
			out_str(o, tcg_name(c, exec, i));
		}
	}
	return c_end(c);
}

static const char *unused(struct emit_context *c, const struct event *exec)
{
	struct out *o = c_begin(c);

	for (size_t i = 0; i < exec->arg_count; i++) {
		OUT(o, "\t(void)${name};\n", { "name", tcg_name(c, exec, i) });
		out_str(o, exec->args[i].is_cpu ? "\t(void)" TCG_ENV ";\n" : "");
	}
	return c_end(c);
}

static const char *state(struct emit_context *c, const struct event *exec)
{
	if (!(exec->properties & EVENT_VCPU)) {
		return "STATE()";
	}
	return arena_printf(&c->texts, "VCPU_STATE(%s)", tcg_name(c, exec, 0));
}

void tcg_emit_begin(struct emit_context *c, const struct event *exec)
{
	OUT(c->out, event_begin, { "file", c_file_comment(c, exec) },
		{ "line", c_number(c, exec->line) });
}

void tcg_emit_function(
	struct emit_context *c, const struct event *exec, const struct tcg_types *types)
{
	const struct out_hole holes[] = {
		{ "whole", exec->whole },
		{ "NAME", exec->upper },
		{ "parameters", parameters(c, exec, types, true) },
		{ "arguments", arguments(c, exec, !types->without_cpu) },
		{ "known", known(c, exec) },
		{ "state", state(c, exec) },
		{ "unused", unused(c, exec) },
		{ NULL, NULL },
	};

	out_template(c->out, event_is_on(c, exec) ? function_on : function_off, holes);
}
