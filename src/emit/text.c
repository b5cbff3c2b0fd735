/* SPDX-License-Identifier: MIT */
/* See text.h. */
#include "emit/text.h"

#include "emit/c_code.h"

/* The templates read like what they make. */
/* clang-format off */
static const char function[] =
	"\n"
	"static void ${backend}_${name}(${parameters})\n"
	"{\n"
	"\twaymark_${backend}(&waymark_event_${name}, ${printf});\n"
	"}\n";
/* clang-format on */

void emit_text(struct emit_context *c, const struct event *e, const char *backend)
{
	OUT(c->out, function, { "backend", backend }, { "name", e->name },
		{ "parameters", c_parameters(c, e) }, { "printf", c_printf(c, e) });
}
