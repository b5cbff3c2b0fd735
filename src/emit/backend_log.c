/* SPDX-License-Identifier: MIT */
/* log: the runtime prints a line of text, `<name> <message>`. */
#include "emit/c_code.h"

/* The templates read like what they make. */
/* clang-format off */
static const char function[] =
	"\n"
	"static void log_${name}(${parameters})\n"
	"{\n"
	"\twaymark_log(&waymark_event_${name}, ${printf});\n"
	"}\n";
/* clang-format on */

static void emit_function(struct emit_context *c, const struct event *e)
{
	OUT(c->out, function, { "name", e->name }, { "parameters", c_parameters(c, e) },
		{ "printf", c_printf(c, e) });
}

const struct emit_backend emit_backend_log = { "WAYMARK_LOG", false, emit_function };
