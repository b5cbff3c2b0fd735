/* SPDX-License-Identifier: MIT */
/*
 * Shared by the headers for translators: trace_<event>_tcg(), which fires one half of a `tcg` event
 * and translates a call of the other. Its arguments are those at execution, in other types; the
 * translated `env` follows the CPU. Here an event means its half at execution, which has all of its
 * arguments.
 */
#include <string.h>

#include "base/compiler.h"
#include "emit/c_code.h"

/* A host's types for values that exist only when the guest runs. */
struct tcg_types {
	const char *env;
	const char *value; /* NULL: as declared, for example `TCGv_i32` */
	bool without_cpu; /* the function that translates a call has no CPU parameter */
};

/* The name of the translated `env`, which no argument can have. */
#define TCG_ENV "__env"

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

/* Calls `emit_event` for each `tcg` event. */
static void tcg_for_each(struct emit_context *c,
	void (*emit_event)(struct emit_context *c, const struct event *exec))
{
	vec_foreach (struct event **, e, &c->model->events) {
		if ((*e)->trans) {
			emit_event(c, *e);
		}
	}
}

/* Returns the name of an argument in functions that use both halves. */
static const char *tcg_name(struct emit_context *c, const struct event *exec, size_t i)
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

/* Returns `struct CPUState *__cpu, waymark_value __env, uint32_t a`. */
static const char *tcg_parameters(
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

/* Writes the comment with the place of the event's declaration. */
static void tcg_emit_begin(struct emit_context *c, const struct event *exec)
{
	OUT(c->out, event_begin, { "file", c_file_comment(c, exec) },
		{ "line", c_number(c, exec->line) });
}

/*
 * Writes trace_<event>_tcg(). It calls waymark_translate_<event>(), with the parameters of
 * tcg_parameters(), to translate a call of the other half.
 */
static void tcg_emit_function(
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

/* ---- Helpers ---- */

/*
 * The four formats of `tcg` events for QEMU 2.8 to 6.2, whose helpers have the DEF_HELPER
 * interface: tcg-h, which a translator includes; tcg-helper-h, the list of helpers; tcg-helper-c,
 * their functions, which fire events; tcg-helper-wrapper-h, which emits calls of them. A helper's
 * parameters are words of a few types; a value that is known at translation is passed in a
 * temporary.
 */

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

/* ---- The header for translators ---- */

/*
 * The header for any binary translator that uses include/waymark/translate.h. For each `tcg` event
 * it has trace_<event>_tcg(), the function that translates a call, and the function that translated
 * code calls.
 */

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
