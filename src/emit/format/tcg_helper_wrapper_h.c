/* SPDX-License-Identifier: MIT */
/*
 * What trace_<event>_tcg() calls to translate a call of a helper: it makes
 * constants of what is known. QEMU includes it behind the functions that emit
 * calls, which it makes of the format tcg-helper-h.
 */
#include "emit/tcg/tcg_helper.h"

/* The templates read like what they make. */
/* clang-format off */
static const char function_begin[] =
	"static inline void waymark_translate_${whole}(${parameters})\n"
	"{\n"
	"${constants}";

static const char constant[] =
	"\tTCGv_${word} waymark_${name} = tcg_const_${word}(${cast}${name});\n";

static const char call[] = "\tgen_helper_trace_${name}(${arguments});\n";

static const char release[] = "\ttcg_temp_free_${word}(waymark_${name});\n";

static const char function_end[] = "}\n";
/* clang-format on */

static bool is_constant(const struct event *exec, size_t i)
{
	return !exec->args[i].is_cpu && !exec->args[i].guest_type;
}

/* The template for each argument that is known at translation. */
static const char *for_constants(
	struct emit_context *c, const struct event *exec, const char *template)
{
	struct out *o = c_begin(c);

	for (size_t i = 0; i < exec->arg_count; i++) {
		if (is_constant(exec, i)) {
			const struct tcg_word *word = tcg_word(exec, i);

			OUT(o, template, { "word", word->name }, { "cast", word->constant_cast },
				{ "name", tcg_name(c, exec, i) });
		}
	}
	return c_end(c);
}

static const char *arguments(struct emit_context *c, const struct event *exec)
{
	struct out *o = c_begin(c);

	for (size_t i = 0; i < exec->arg_count; i++) {
		out_printf(o, "%s%s%s", i ? ", " : "", is_constant(exec, i) ? "waymark_" : "",
			exec->args[i].is_cpu ? TCG_ENV : tcg_name(c, exec, i));
	}
	return c_end(c);
}

static void emit_event(struct emit_context *c, const struct event *exec)
{
	if (!event_is_on(c, exec)) {
		return;
	}
	const char *constants = for_constants(c, exec, constant);

	tcg_emit_begin(c, exec);
	OUT(c->out, function_begin, { "whole", exec->whole },
		{ "parameters", tcg_parameters(c, exec, &tcg_host_types) },
		{ "constants", constants });
	out_str(c->out, *constants ? "\n" : "");
	OUT(c->out, call, { "name", exec->name }, { "arguments", arguments(c, exec) });
	out_str(c->out, for_constants(c, exec, release));
	out_str(c->out, function_end);
}

void emit_format_tcg_helper_wrapper_h(struct emit_context *c)
{
	out_str(c->out, c_banner(c));
	tcg_for_each(c, emit_event);
}
