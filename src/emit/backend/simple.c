/* SPDX-License-Identifier: MIT */
/* simple: the recorder takes the event, its sink writes simpletrace's format. */
#include "emit/record.h"

static void emit_function(struct emit_context *c, const struct event *e)
{
	emit_recorder(c, e, "simple", "WAYMARK_RECORDER_SIMPLE");
}

const struct emit_backend emit_backend_simple = {
	.mask = "WAYMARK_SIMPLE",
	.records = true,
	.emit_function = emit_function,
};
