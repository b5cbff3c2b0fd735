/* SPDX-License-Identifier: MIT */
/*
 * The four formats of `tcg` events for QEMU 2.8 to 6.2, whose helpers have the DEF_HELPER
 * interface: tcg-h, which a translator includes; tcg-helper-h, the list of helpers; tcg-helper-c,
 * their functions, which fire events; tcg-helper-wrapper-h, which emits calls of them. A helper's
 * parameters are words of a few types; a value that is known at translation is passed in a
 * temporary.
 */
#include <string.h>

#include "base/compiler.h"
#include "emit/format/tcg.h"

/* The type of a helper's argument. */
struct tcg_word {
	const char *name; /* in DEF_HELPER_FLAGS_n() */
	const char *type; /* type of the helper's parameter */
	const char *constant_cast; /* cast to the parameter of the function that makes a constant */
};

static const struct tcg_word word_32 = { "i32", "uint32_t", "(int32_t)" };
static const struct tcg_word word_64 = { "i64", "uint64_t", "(int64_t)" };
static const struct tcg_word word_of_pointer = { "ptr", "void *", "(void *)(uintptr_t)" };
static const struct tcg_word word_of_target = { "tl", "target_ulong", NULL };
static const struct tcg_word word_of_env = { "env", "CPUArchState *", NULL };

static const struct {
	const char *type;
	const struct tcg_word *word;
} guest_words[] = {
	{ "TCGv", &word_of_target },
	{ "TCGv_i32", &word_32 },
	{ "TCGv_i64", &word_64 },
	{ "TCGv_ptr", &word_of_pointer },
	{ "TCGv_env", &word_of_env },
};

static const struct tcg_types host_types = { .env = "TCGv_env", .without_cpu = true };

/* Returns the word of an argument at execution; for a CPU, the word of its `env`. */
static const struct tcg_word *tcg_word(const struct event *exec, size_t i)
{
	const struct arg *a = &exec->args[i];

	if (exec->args[i].is_cpu) {
		return &word_of_env;
	}
	for (size_t k = 0; a->guest_type && k < ARRAY_SIZE(guest_words); k++) {
		if (strcmp(a->guest_type, guest_words[k].type) == 0) {
			return guest_words[k].word;
		}
	}
	if (a->type.class != TYPE_INTEGER) {
		return &word_of_pointer;
	}
	return a->type.size64 > sizeof(uint32_t) ? &word_64 : &word_32;
}

/* tcg-h. Not formatted, so that the templates look like their output. */
/* clang-format off */
static const char translator_begin[] =
	"${banner}"
	"#ifndef ${guard}\n"
	"#define ${guard}\n"
	"\n"
	"#include \"exec/helper-proto.h\"\n"
	"\n"
	"#include \"exec/helper-gen.h\"\n"
	"\n"
	"#include \"${header}\"\n";

static const char translator_end[] =
	"\n"
	"#endif\n";
/* clang-format on */

static void emit_translator(struct emit_context *c, const struct event *exec)
{
	tcg_emit_begin(c, exec);
	tcg_emit_function(c, exec, &host_types);
}

void emit_format_tcg_h(struct emit_context *c)
{
	OUT(c->out, translator_begin, { "banner", c_banner(c) },
		{ "guard", c_guard(c, "TRACE_", "_GENERATED_TCG_H") }, { "header", c->header });
	tcg_for_each(c, emit_translator);
	out_str(c->out, translator_end);
}

/* tcg-helper-h. Not formatted, so that the templates look like their output. */
/* clang-format off */
static const char helper[] =
	"DEF_HELPER_FLAGS_${count}(trace_${name}, TCG_CALL_NO_RWG, void${words})\n";
/* clang-format on */

static void emit_helper(struct emit_context *c, const struct event *exec)
{
	if (!event_is_on(c, exec)) {
		return;
	}
	tcg_emit_begin(c, exec);
	struct out *o = c_begin(c);

	for (size_t i = 0; i < exec->arg_count; i++) {
		OUT(o, ", ${word}", { "word", tcg_word(exec, i)->name });
	}
	const char *words = c_end(c);

	OUT(c->out, helper, { "count", c_number(c, exec->arg_count) }, { "name", exec->name },
		{ "words", words });
}

void emit_format_tcg_helper_h(struct emit_context *c)
{
	out_str(c->out, c_banner(c));
	tcg_for_each(c, emit_helper);
}

/* tcg-helper-c. Not formatted, so that the templates look like their output. */
/* clang-format off */
static const char source_begin[] =
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

static const char helper_function[] =
	"void helper_trace_${name}(${parameters})\n"
	"{\n"
	"\ttrace_${name}(${arguments});\n"
	"}\n";
/* clang-format on */

static const char *helper_name(const struct event *exec, size_t i)
{
	return exec->args[i].is_cpu ? TCG_ENV : exec->args[i].c_name;
}

/* Writes `(int8_t)a`, which converts the argument back to its own type. */
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
	out_str(o, helper_name(exec, i));
}

static const char *helper_arguments(struct emit_context *c, const struct event *exec)
{
	struct out *o = c_begin(c);

	for (size_t i = 0; i < exec->arg_count; i++) {
		out_str(o, i ? ", " : "");
		write_argument(o, exec, i);
	}
	return c_end(c);
}

static void emit_helper_function(struct emit_context *c, const struct event *exec)
{
	if (!event_is_on(c, exec)) {
		return;
	}
	tcg_emit_begin(c, exec);
	struct out *o = c_begin(c);

	for (size_t i = 0; i < exec->arg_count; i++) {
		const char *type = tcg_word(exec, i)->type;

		out_printf(o, "%s%s%s%s", i ? ", " : "", type,
			type[strlen(type) - 1] == '*' ? "" : " ", helper_name(exec, i));
	}
	const char *parameters = exec->arg_count ? c_end(c) : "void";

	OUT(c->out, helper_function, { "name", exec->name }, { "parameters", parameters },
		{ "arguments", helper_arguments(c, exec) });
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
	OUT(c->out, source_begin, { "banner", c_banner(c) }, { "header", c->header });
	out_str(c->out, is_cpu_used(c) ? cpu_of : "");
	tcg_for_each(c, emit_helper_function);
}

/* tcg-helper-wrapper-h. Not formatted, so that the templates look like their output. */
/* clang-format off */
static const char wrapper_begin[] =
	"static inline void waymark_translate_${whole}(${parameters})\n"
	"{\n"
	"${constants}";

static const char make_constant[] =
	"\tTCGv_${word} waymark_${name} = tcg_const_${word}(${cast}${name});\n";

static const char wrapper_call[] = "\tgen_helper_trace_${name}(${arguments});\n";

static const char free_constant[] = "\ttcg_temp_free_${word}(waymark_${name});\n";

static const char wrapper_end[] = "}\n";
/* clang-format on */

static bool is_constant(const struct event *exec, size_t i)
{
	return !exec->args[i].is_cpu && !exec->args[i].guest_type;
}

/* Writes the template for each argument that is known at translation. */
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

static void emit_wrapper(struct emit_context *c, const struct event *exec)
{
	if (!event_is_on(c, exec)) {
		return;
	}
	const char *constants = for_constants(c, exec, make_constant);

	tcg_emit_begin(c, exec);
	OUT(c->out, wrapper_begin, { "whole", exec->whole },
		{ "parameters", tcg_parameters(c, exec, &host_types) }, { "constants", constants });
	out_str(c->out, *constants ? "\n" : "");
	struct out *o = c_begin(c);

	for (size_t i = 0; i < exec->arg_count; i++) {
		out_printf(o, "%s%s%s", i ? ", " : "", is_constant(exec, i) ? "waymark_" : "",
			exec->args[i].is_cpu ? TCG_ENV : tcg_name(c, exec, i));
	}
	OUT(c->out, wrapper_call, { "name", exec->name }, { "arguments", c_end(c) });
	out_str(c->out, for_constants(c, exec, free_constant));
	out_str(c->out, wrapper_end);
}

void emit_format_tcg_helper_wrapper_h(struct emit_context *c)
{
	out_str(c->out, c_banner(c));
	tcg_for_each(c, emit_wrapper);
}
