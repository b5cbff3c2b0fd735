/* SPDX-License-Identifier: MIT */
/* ctf: the recorder takes the event; its packets are the native trace. */
#include "emit/record.h"

static void emit_function(struct emit_context *c, const struct event *e)
{
	emit_recorder(c, e, "ctf", "WAYMARK_RECORDER_CTF");
}

const struct emit_backend emit_backend_ctf = {
	.mask = "WAYMARK_CTF",
	.records = true,
	.emit_function = emit_function,
};
