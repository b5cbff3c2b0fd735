/* SPDX-License-Identifier: MIT */
/*
 * dtrace: a probe of <sys/sdt.h>, which bpftrace, perf, SystemTap and gdb find in the program. Such
 * a tracer turns the event on itself: the semaphore of its probe is the other half of its state
 * word.
 */
#include "emit/c_code.h"

/* Not formatted, so that the templates look like their output. */
/* clang-format off */
static const char file_begin[] =
	"#include <waymark/probe.h>\n";

static const char function_begin[] =
	"\n"
	"static void dtrace_${name}(${parameters})\n"
	"{\n";

static const char string_touch[] = "\twaymark_probe_touch(${name});\n";

static const char part_touch[] = "\twaymark_probe_touch_part(${name}, ${precision});\n";

static const char counted_touch[] = "\twaymark_probe_touch_counted(${value});\n";

/* Reads a value by its address, as it does not fit into a register. */
static const char address_touch[] = "\twaymark_probe_touch_value(&${name});\n";

static const char float_bits[] = "\tuint64_t waymark_bits_${name} = waymark_probe_${maker}(${name});\n";

static const char function_end[] =
	"\tSTAP_PROBE${count}(${provider}, ${name}${words});\n"
	"}\n";
/* clang-format on */

static void emit_begin(struct emit_context *c)
{
	out_str(c->out, file_begin);
}

static bool is_by_address(const struct type *t)
{
	return t->class == TYPE_DEBUG || type_is_pair(t);
}

/* Returns the statement that lets a tracer read an argument; NULL if none is needed. */
static const char *preparation(struct emit_context *c, const struct event *e, size_t arg)
{
	static const char *const by_class[] = {
		[TYPE_FLOAT] = float_bits,
		[TYPE_STRING] = string_touch,
		[TYPE_TEXT] = counted_touch,
		[TYPE_BYTES] = counted_touch,
		[TYPE_TCG] = NULL,
	};

	const struct type *t = &e->args[arg].type;

	if (c_is_address(e, arg)) {
		return NULL;
	}
	if (c_precision(c, e, arg)) {
		return part_touch;
	}
	return is_by_address(t) ? address_touch : by_class[t->class];
}

static void emit_function(
	struct emit_context *c, const struct event *e, const struct emit_backend_row *row)
{
	(void)row;
	OUT(c->out, function_begin, { "name", e->name }, { "parameters", c_parameters(c, e) });
	for (size_t i = 0; i < e->arg_count; i++) {
		const char *line = preparation(c, e, i);

		if (line) {
			OUT(c->out, line, { "name", e->args[i].c_name },
				{ "value", c_value(c, e, i) },
				{ "precision", c_precision(c, e, i) },
				{ "maker", e->args[i].type.maker });
		}
	}
	const char *words = "";

	for (size_t i = 0; i < e->arg_count; i++) {
		const struct type *t = &e->args[i].type;
		const char *before = t->class == TYPE_FLOAT ? "waymark_bits_"
				     : is_by_address(t)	    ? "&"
							    : "";

		words = arena_printf(&c->texts, "%s, %s%s", words, before, c_value(c, e, i));
	}
	OUT(c->out, function_end, { "count", e->arg_count ? c_number(c, emit_words(e)) : "" },
		{ "provider", c->provider }, { "name", e->name }, { "words", words });
}

const struct emit_backend emit_backend_dtrace = {
	.mask = "WAYMARK_DTRACE",
	.emit_function = emit_function,
	.watched = "WAYMARK_WATCHERS(waymark_state_${name})",
	.emit_begin = emit_begin,
	.max_args = 12,
	.macros = MACRO_SDT,
};
