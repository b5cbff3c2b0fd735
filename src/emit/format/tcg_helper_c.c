/* SPDX-License-Identifier: MIT */
/* The functions behind the helpers of the format tcg-helper-h: each fires an event. */
#include "emit/tcg/tcg_helper.h"

#include <string.h>

/* The templates read like what they make. */
/* clang-format off */
static const char file_begin[] =
	"${banner}"
	"#include \"qemu/osdep.h\"\n"
	"\n"
	"#include \"cpu.h\"\n"
	"\n"
	"#include \"exec/helper-proto.h\"\n"
	"\n"
	"#include \"${header}\"\n";

static const char cpu_of[] =
	"\n"
	"/* QEMU's name for it until 4.0. */\n"
	"#ifdef ENV_GET_CPU\n"
	"#define WAYMARK_CPU(env) ENV_GET_CPU(env)\n"
	"#else\n"
	"#define WAYMARK_CPU(env) env_cpu(env)\n"
	"#endif\n";

static const char function[] =
	"void helper_trace_${name}(${parameters})\n"
	"{\n"
	"\ttrace_${name}(${arguments});\n"
	"}\n";
/* clang-format on */

static const char *name(const struct event *exec, size_t i)
{
	return exec->args[i].is_cpu ? TCG_ENV : exec->args[i].c_name;
}

static const char *parameters(struct emit_context *c, const struct event *exec)
{
	struct out *o = c_begin(c);

	for (size_t i = 0; i < exec->arg_count; i++) {
		const char *type = tcg_word(exec, i)->type;

		out_printf(o, "%s%s%s%s", i ? ", " : "", type,
			type[strlen(type) - 1] == '*' ? "" : " ", name(exec, i));
	}
	return exec->arg_count ? c_end(c) : "void";
}

/* `(int8_t)a`: the argument in its own type again. */
static void write_argument(struct out *o, const struct event *exec, size_t i)
{
	const char *type = exec->args[i].type.text;

	if (exec->args[i].is_cpu) {
		out_str(o, "WAYMARK_CPU(" TCG_ENV ")");
		return;
	}
	if (strcmp(type, tcg_word(exec, i)->type) != 0) {
		OUT(o, "(${type})", { "type", type });
	}
	out_str(o, name(exec, i));
}

static const char *arguments(struct emit_context *c, const struct event *exec)
{
	struct out *o = c_begin(c);

	for (size_t i = 0; i < exec->arg_count; i++) {
		out_str(o, i ? ", " : "");
		write_argument(o, exec, i);
	}
	return c_end(c);
}

static void emit_event(struct emit_context *c, const struct event *exec)
{
	if (!event_is_on(c, exec)) {
		return;
	}
	tcg_emit_begin(c, exec);
	OUT(c->out, function, { "name", exec->name }, { "parameters", parameters(c, exec) },
		{ "arguments", arguments(c, exec) });
}

static bool is_cpu_used(const struct emit_context *c)
{
	vec_foreach (struct event **, e, &c->model->events) {
		if ((*e)->trans && (*e)->properties & EVENT_VCPU && event_is_on(c, *e)) {
			return true;
		}
	}
	return false;
}

void emit_format_tcg_helper_c(struct emit_context *c)
{
	OUT(c->out, file_begin, { "banner", c_banner(c) }, { "header", c->header });
	out_str(c->out, is_cpu_used(c) ? cpu_of : "");
	tcg_for_each(c, emit_event);
}
