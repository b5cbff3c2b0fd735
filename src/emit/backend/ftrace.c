/* SPDX-License-Identifier: MIT */
/* ftrace: the runtime writes the line to the kernel's trace_marker. */
#include "emit/text.h"

static void emit_function(struct emit_context *c, const struct event *e)
{
	emit_text(c, e, "ftrace");
}

const struct emit_backend emit_backend_ftrace = {
	.mask = "WAYMARK_FTRACE",
	.prints = true,
	.emit_function = emit_function,
};
