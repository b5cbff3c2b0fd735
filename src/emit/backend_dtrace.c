/* SPDX-License-Identifier: MIT */
/*
 * dtrace: a probe of <sys/sdt.h>, which bpftrace, perf, SystemTap and gdb find in
 * the program. They turn the event on by themselves: the semaphore of its probe is
 * the other half of its state word.
 */
#include "emit/c_code.h"
#include "emit/macro.h"

/* The templates read like what they make. */
/* clang-format off */
static const char file_begin[] =
	"#include <waymark/probe.h>\n";

static const char function_begin[] =
	"\n"
	"static void dtrace_${name}(${parameters})\n"
	"{\n";

static const char function_touch[] = "\twaymark_probe_touch(${name});\n";

static const char function_end[] =
	"\tSTAP_PROBE${count}(${provider}, ${name}${comma}${arguments});\n"
	"}\n";
/* clang-format on */

static void emit_begin(struct emit_context *c)
{
	out_str(c->out, file_begin);
}

static void emit_function(struct emit_context *c, const struct event *e)
{
	bool has_args = e->arg_count > 0;

	OUT(c->out, function_begin, { "name", e->name }, { "parameters", c_parameters(c, e) });
	for (size_t i = 0; i < e->arg_count; i++) {
		if (e->args[i].type.class == TYPE_STRING) {
			OUT(c->out, function_touch, { "name", e->args[i].c_name });
		}
	}
	OUT(c->out, function_end, { "count", has_args ? c_number(c, e->arg_count) : "" },
		{ "provider", c->provider }, { "name", e->name }, { "comma", has_args ? ", " : "" },
		{ "arguments", c_arguments(c, e) });
}

const struct emit_backend emit_backend_dtrace = {
	.mask = "WAYMARK_DTRACE",
	.emit_function = emit_function,
	.watched = "WAYMARK_WATCHERS(waymark_state_${name})",
	.emit_begin = emit_begin,
	.max_args = 12,
	.macros = MACRO_SDT,
};
