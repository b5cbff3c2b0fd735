/* SPDX-License-Identifier: MIT */
/*
 * The header for any binary translator that uses include/waymark/translate.h. For each `tcg` event
 * it has trace_<event>_tcg(), the function that translates a call, and the function that translated
 * code calls.
 */
#include "emit/format/tcg.h"

/* Not formatted, so that the templates look like their output. */
/* clang-format off */
static const char file_begin[] =
	"${banner}"
	"#ifndef ${guard}\n"
	"#define ${guard}\n"
	"\n"
	"#include <waymark/translate.h>\n"
	"\n"
	"#include \"${header}\"\n"
	"\n"
	"#ifdef __cplusplus\n"
	"extern \"C\" {\n"
	"#endif\n";

static const char exec_function[] =
	"static void waymark_exec_${whole}(const uint64_t *arguments)\n"
	"{\n"
	"${unused}"
	"\ttrace_${name}(${arguments});\n"
	"}\n"
	"\n";

static const char translate_begin[] =
	"WAYMARK_COLD static void waymark_translate_${whole}(${parameters})\n"
	"{\n";

static const char operands_begin[] =
	"\tconst struct waymark_operand waymark_operands[] = {\n";

static const char constant[] = "\t\t{ NULL, (uint64_t)${cast}${name}, sizeof(${name}) },\n";

static const char value[] = "\t\t{ &${name}, 0, sizeof(${type}) },\n";

static const char operands_end[] = "\t};\n";

static const char translate_end[] =
	"\tconst struct waymark_call waymark_call_of_exec = {\n"
	"\t\t\"${name}\",\n"
	"\t\t${cpu},\n"
	"\t\twaymark_exec_${whole},\n"
	"\t\t${operands},\n"
	"\t\t${count},\n"
	"\t};\n"
	"\n"
	"\twaymark_translate_call(&waymark_call_of_exec);\n"
	"}\n"
	"\n";
/* clang-format on */

static const struct tcg_types types = { .env = "waymark_value", .value = "waymark_value" };

/* Returns the cast between a value's bytes and a pointer, through an integer of its size. */
static const char *cast(const struct type *t)
{
	return t->class == TYPE_INTEGER ? "" : "(uintptr_t)";
}

static void emit_operands(struct emit_context *c, const struct event *exec)
{
	if (exec->arg_count == 0) {
		return;
	}
	out_str(c->out, operands_begin);
	for (size_t i = 0; i < exec->arg_count; i++) {
		const struct arg *a = &exec->args[i];
		bool is_env = exec->args[i].is_cpu;

		OUT(c->out, is_env || a->guest_type ? value : constant,
			{ "name", is_env ? TCG_ENV : tcg_name(c, exec, i) },
			{ "type", a->type.text }, { "cast", cast(&a->type) });
	}
	out_str(c->out, operands_end);
}

static void emit_event(struct emit_context *c, const struct event *exec)
{
	tcg_emit_begin(c, exec);
	if (event_is_on(c, exec)) {
		/* `WAYMARK_CPU((void *)(uintptr_t)arguments[0]), (uint32_t)arguments[1]` */
		struct out *o = c_begin(c);

		for (size_t i = 0; i < exec->arg_count; i++) {
			const struct type *t = &exec->args[i].type;
			bool is_cpu = exec->args[i].is_cpu;

			out_printf(o, "%s(%s)%s%sarguments[%zu]%s", i ? ", " : "",
				is_cpu ? c_vcpu_type(c) : t->text,
				is_cpu ? "WAYMARK_CPU((void *)" : "", cast(t), i,
				is_cpu ? ")" : "");
		}
		const char *arguments = c_end(c);

		OUT(c->out, exec_function, { "whole", exec->whole }, { "name", exec->name },
			{ "arguments", arguments },
			{ "unused", exec->arg_count ? "" : "\t(void)arguments;\n" });
		OUT(c->out, translate_begin, { "whole", exec->whole },
			{ "parameters", tcg_parameters(c, exec, &types) });
		emit_operands(c, exec);
		OUT(c->out, translate_end, { "name", exec->name }, { "whole", exec->whole },
			{ "cpu", exec->properties & EVENT_VCPU ? tcg_name(c, exec, 0) : "NULL" },
			{ "operands", exec->arg_count ? "waymark_operands" : "NULL" },
			{ "count", c_number(c, exec->arg_count) });
	}
	tcg_emit_function(c, exec, &types);
}

void emit_format_translate_h(struct emit_context *c)
{
	OUT(c->out, file_begin, { "banner", c_banner(c) },
		{ "guard", c_guard(c, "TRACE_", "_GENERATED_TRANSLATE_H") },
		{ "header", c->header });
	tcg_for_each(c, emit_event);
	out_str(c->out, c_header_end);
}
