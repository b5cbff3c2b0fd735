/* SPDX-License-Identifier: MIT */
/* syslog: the runtime sends the line to the system's log. */
#include "emit/text.h"

static void emit_function(struct emit_context *c, const struct event *e)
{
	emit_text(c, e, "syslog");
}

const struct emit_backend emit_backend_syslog = {
	.mask = "WAYMARK_SYSLOG",
	.prints = true,
	.emit_function = emit_function,
};
