/* SPDX-License-Identifier: MIT */
/* The plain tapset: a probe for each event, whose arguments have their names. */
#include "emit/stap/stap.h"

void emit_format_stap(struct emit_context *c)
{
	static const struct stap_tapset tapset = {
		.about = "For scripts of SystemTap: each event as a probe, with its arguments.",
		.infix = "",
		.macros = "",
	};

	stap_emit(c, &tapset);
}
