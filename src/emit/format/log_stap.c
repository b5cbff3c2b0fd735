/* SPDX-License-Identifier: MIT */
/* The tapset that prints: `<pid>@<ns since 1970> <name> <message>`, a line an event. */
#include "emit/stap/stap.h"

static void emit_body(struct emit_context *c, const struct event *e, size_t id)
{
	(void)id;
	OUT(c->out, "\tprintf(${printf})\n", { "printf", stap_printf(c, e) });
}

void emit_format_log_stap(struct emit_context *c)
{
	static const struct stap_tapset tapset = {
		.about = "For SystemTap: prints a line for each event.",
		.infix = "log.",
		.macros = STAP_PRINTF_MACROS,
		.emit_body = emit_body,
	};

	stap_emit(c, &tapset);
}
