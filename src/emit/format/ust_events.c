/* SPDX-License-Identifier: MIT */
/*
 * The tracepoints of LTTng-UST: a header that LTTng's own headers include several times, each time
 * with other macros. A field has the declared name, and the width and sign of its argument's type.
 *
 * The source defines the tracepoints and the functions that record them; a program or library has
 * it once for each provider. Without the backend ust both are empty, so that a build works with any
 * choice of backends.
 */
#include <string.h>

#include "base/words.h"
#include "emit/c_code.h"

/* Not formatted, so that the templates look like their output. */
/* clang-format off */
static const char file_begin[] =
	"${banner}"
	"${debug}"
	"#include <waymark/ust.h>\n"
	"\n"
	"#undef LTTNG_UST_TRACEPOINT_PROVIDER\n"
	"#define LTTNG_UST_TRACEPOINT_PROVIDER ${provider}\n"
	"\n"
	"#undef LTTNG_UST_TRACEPOINT_INCLUDE\n"
	"#define LTTNG_UST_TRACEPOINT_INCLUDE \"${header}\"\n"
	"\n"
	"#if !defined(${guard}) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)\n"
	"#define ${guard}\n"
	"\n"
	"/* The macros of LTTng-UST are not for C99 without extensions. */\n"
	"#pragma GCC system_header\n"
	"\n"
	"/* clang-format off */\n";

static const char file_end[] =
	"/* clang-format on */\n"
	"\n"
	"#endif\n"
	"\n"
	"#include <lttng/tracepoint-event.h>\n";

static const char nothing[] =
	"${banner}"
	"#include <waymark/event.h>\n";

static const char definitions[] =
	"${banner}"
	"#define LTTNG_UST_TRACEPOINT_CREATE_PROBES\n"
	"#define LTTNG_UST_TRACEPOINT_DEFINE\n"
	"#include \"${header}\"\n";

static const char no_definitions[] =
	"${banner}"
	"#include \"${header}\"\n";
static const char event_begin[] =
	"\n"
	"/* ${file}:${line} */\n"
	"${hide}"
	"LTTNG_UST_TRACEPOINT_EVENT(${provider}, ${name},\n"
	"\tLTTNG_UST_TP_ARGS(\n\t\t${tuples}),\n"
	"\tLTTNG_UST_TP_FIELDS(";

static const char event_end[] =
	"))\n"
	"${show}";

static const char event_format[] =
	"LTTNG_UST_TRACEPOINT_MODEL_EMF_URI(${provider}, ${name},\n"
	"\t${format})\n";

/* Hides macros of a field's name while LTTng-UST makes a string of it. */
static const char hide_macro[] =
	"#pragma push_macro(\"${name}\")\n"
	"#undef ${name}\n";

static const char show_macro[] = "#pragma pop_macro(\"${name}\")\n";

static const char field_string[] = "\n\t\tlttng_ust_field_string(${field}, ${value})";
static const char field_part[] =
	"\n\t\tlttng_ust_field_sequence_text(char, ${field}, ${value}, size_t, "
	"waymark_length_of_part(${value}, ${precision}))";
static const char field_pointer[] =
	"\n\t\tlttng_ust_field_integer_hex(uintptr_t, ${field}, (uintptr_t)${value})";
static const char field_hex[] = "\n\t\tlttng_ust_field_integer_hex(${type}, ${field}, ${value})";
static const char field_float[] = "\n\t\tlttng_ust_field_float(${type}, ${field}, ${value})";
static const char field_wide[] =
	"\n\t\tlttng_ust_field_integer_hex(uint64_t, ${field}_low, WAYMARK_LOW64(${value}))"
	"\n\t\tlttng_ust_field_integer_hex(uint64_t, ${field}_high, WAYMARK_HIGH64(${value}))";
static const char field_text[] =
	"\n\t\tlttng_ust_field_sequence_text(char, ${field}, ${value}, size_t, "
	"${value} ? ${length} : 0)";
static const char field_bytes[] =
	"\n\t\tlttng_ust_field_sequence_hex(uint8_t, ${field}, ${value}, size_t, "
	"${value} ? ${length} : 0)";
static const char field_decimal[] = "\n\t\tlttng_ust_field_integer(${type}, ${field}, ${value})";
/* clang-format on */

/* Returns `uint64_t, offset`, a line for each argument; or `void`. */
static const char *tuples(struct emit_context *c, const struct event *e)
{
	struct out *o = c_begin(c);

	for (size_t i = 0; i < e->arg_count; i++) {
		const struct type *t = &e->args[i].type;

		out_str(o, i ? ",\n\t\t" : "");
		OUT(o, "${type}, ${name}",
			{ "type", t->class == TYPE_DEBUG ? "const char *" : t->c_text },
			{ "name", e->args[i].c_name });
		if (type_is_counted(t)) {
			OUT(o, ",\n\t\tsize_t, ${name}", { "name", c_length_name(c, e, i) });
		}
	}
	return e->arg_count ? c_end(c) : "void";
}

/* True for macros that LTTng-UST uses while it makes a string of a field's name. */
static bool is_needed(const char *name)
{
	static const char *const macros[] = { "NULL", "false", "static_assert", "true", NULL };

	return words_have(macros, name);
}

static const char *around(struct emit_context *c, const struct event *e, const char *text)
{
	/* C++ forbids macros of these names. */
	static const char *const operators[] = { "and", "and_eq", "bitand", "bitor", "compl", "not",
		"not_eq", "or", "or_eq", "xor", "xor_eq", NULL };
	struct out *o = c_begin(c);

	for (size_t i = 0; i < e->arg_count; i++) {
		const char *name = e->args[i].name;

		/* The field's name may be a macro. */
		if (strcmp(name, e->args[i].c_name) != 0 && !words_have(operators, name) &&
			!is_needed(name)) {
			OUT(o, text, { "name", name });
		}
	}
	return c_end(c);
}

/* Returns the letter that prints an argument; NUL if no conversion prints it. */
static char letter_of(const struct event *e, size_t arg)
{
	const struct conversion *v = format_conversion_of(&e->format, arg);

	if (!v || !v->spec) {
		return v ? v->letter : '\0';
	}
	switch (v->spec->type) {
	case BRACE_LOWER_HEX:
	case BRACE_UPPER_HEX:
	case BRACE_DEBUG_LOWER:
	case BRACE_DEBUG_UPPER:
		return 'x';
	default:
		return 'd';
	}
}

static const char *integer_field(const struct type *t, char letter)
{
	if (type_is_pair(t)) {
		return field_wide;
	}
	return letter == 'x' || letter == 'X' || letter == 'p' ? field_hex : field_decimal;
}

static const char *field(struct emit_context *c, const struct event *e, size_t arg)
{
	static const char *const by_class[] = {
		[TYPE_FLOAT] = field_float,
		[TYPE_POINTER] = field_pointer,
		[TYPE_STRING] = field_string,
		[TYPE_TEXT] = field_text,
		[TYPE_BYTES] = field_bytes,
		[TYPE_DEBUG] = field_string,
		[TYPE_TCG] = field_pointer,
	};
	const struct type *t = &e->args[arg].type;

	if (c_is_address(e, arg)) {
		return field_pointer;
	}
	if (c_precision(c, e, arg)) {
		return field_part;
	}
	return t->class == TYPE_INTEGER ? integer_field(t, letter_of(e, arg)) : by_class[t->class];
}

/* True if another argument has that name, with `front` before and `behind` after it. */
static bool is_anothers(
	const struct event *e, size_t arg, const char *front, const char *name, const char *behind)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < e->arg_count; i++) {
		const char *other = e->args[i].name;

		if (i != arg && strncmp(other, front, strlen(front)) == 0 &&
			strncmp(other + strlen(front), name, length) == 0 &&
			strcmp(other + strlen(front) + length, behind) == 0) {
			return true;
		}
	}
	return false;
}

/* Names of fields that are made from one argument. LTTng-UST itself makes the one of a length. */
static const struct {
	const char *field;
	const char *front;
	const char *behind;
} made[] = {
	{ field_wide, "", "_low" },
	{ field_wide, "", "_high" },
	{ field_part, "_", "_length" },
	{ field_text, "_", "_length" },
	{ field_bytes, "_", "_length" },
};

static bool is_made_twice(const struct event *e, size_t arg, const char *template, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(made); i++) {
		if (made[i].field == template &&
			(is_anothers(e, arg, made[i].front, name, made[i].behind) ||
				is_anothers(e, arg, "", name, ""))) {
			return true;
		}
	}
	return false;
}

/* Returns the name of an argument's field: readers refuse a trace with two fields of one name. */
static const char *field_name(
	struct emit_context *c, const struct event *e, size_t arg, const char *template)
{
	const struct arg *a = &e->args[arg];
	const char *name = is_needed(a->name) ? a->c_name : a->name;

	while (is_made_twice(e, arg, template, name)) {
		name = arena_printf(&c->texts, "%s_", name);
	}
	return name;
}

/*
 * Returns an argument's name in C that differs from the functions LTTng-UST calls where the
 * arguments are visible. The field's name stays.
 */
static const char *free_name(struct emit_context *c, const struct event *e, const char *name)
{
	static const char *const called[] = { "abort", "memcpy", "strlen", NULL };

	if (!words_have(called, name)) {
		return name;
	}
	do {
		name = arena_printf(&c->texts, "%s_", name);
	} while (c_is_parameter(e, name));
	return name;
}

static void emit_event(struct emit_context *c, const struct event *declared)
{
	struct event *e = arena_new(&c->texts, struct event);

	*e = *declared;
	e->args = arena_array(&c->texts, struct arg, declared->arg_count);
	for (size_t i = 0; i < declared->arg_count; i++) {
		e->args[i] = declared->args[i];
		e->args[i].c_name = free_name(c, declared, declared->args[i].c_name);
	}
	const struct out_hole holes[] = {
		{ "file", c_file_comment(c, e) },
		{ "line", c_number(c, e->line) },
		{ "hide", around(c, e, hide_macro) },
		{ "provider", c->provider },
		{ "name", e->name },
		{ "tuples", tuples(c, e) },
		{ NULL, NULL },
	};

	out_template(c->out, event_begin, holes);
	for (size_t i = 0; i < e->arg_count; i++) {
		const struct arg *a = &e->args[i];
		const char *template = field(c, e, i);

		OUT(c->out, template, { "type", a->type.is_bool ? "uint8_t" : a->type.c_text },
			{ "field", field_name(c, e, i, template) }, { "value", a->c_name },
			{ "length", c_length_name(c, e, i) },
			{ "precision", c_precision(c, e, i) });
	}
	OUT(c->out, event_end, { "show", around(c, e, show_macro) });
	/*
	 * Stores the declared format as the name of the event's model, as LTTng-UST has room for no
	 * other text. Its daemon writes that between quotes, unchanged.
	 */
	struct out *o = c_begin(c);

	for (const char *s = e->format.source; s && *s; s++) {
		out_str(o, *s == '"' || *s == '\\' ? "\\" : "");
		out_char(o, *s);
	}
	const char *escaped = c_end(c);

	if (*escaped) {
		OUT(c->out, event_format, { "provider", c->provider }, { "name", e->name },
			{ "format", c_literal(c, escaped) });
	}
}

static bool ust_is_chosen(const struct emit_context *c)
{
	return c->backends & 1u << emit_find_backend("ust");
}

void emit_format_ust_events_h(struct emit_context *c)
{
	if (!ust_is_chosen(c)) {
		OUT(c->out, nothing, { "banner", c_banner(c) });
		return;
	}
	OUT(c->out, file_begin, { "banner", c_banner(c) },
		{ "debug", c_needs_debug(c) ? "#include <waymark/debug.h>\n" : "" },
		{ "provider", c->provider }, { "header", c->ust_header },
		{ "guard", c_guard(c, "TRACE_UST_", "_H") });
	vec_foreach (struct event **, e, &c->model->events) {
		if (event_is_on(c, *e)) {
			emit_event(c, *e);
		}
	}
	out_str(c->out, file_end);
}

void emit_format_ust_events_c(struct emit_context *c)
{
	OUT(c->out, ust_is_chosen(c) ? definitions : no_definitions, { "banner", c_banner(c) },
		{ "header", c->ust_header });
}
