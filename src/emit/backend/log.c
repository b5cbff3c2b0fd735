/* SPDX-License-Identifier: MIT */
/* log: the runtime prints the line on standard error or into the log file. */
#include "emit/text.h"

static void emit_function(struct emit_context *c, const struct event *e)
{
	emit_text(c, e, "log");
}

const struct emit_backend emit_backend_log = {
	.mask = "WAYMARK_LOG",
	.prints = true,
	.takes_place = true,
	.emit_function = emit_function,
};
