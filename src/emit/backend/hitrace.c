/* SPDX-License-Identifier: MIT */
/* hitrace: the runtime tells OpenHarmony's HiTraceMeter of scopes. */
#include "emit/text.h"

static void emit_function(struct emit_context *c, const struct event *e)
{
	emit_text(c, e, "hitrace");
}

const struct emit_backend emit_backend_hitrace = {
	.mask = "WAYMARK_HITRACE",
	.prints = true,
	.scopes_only = true,
	.emit_function = emit_function,
};
