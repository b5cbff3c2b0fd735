/* SPDX-License-Identifier: MIT */
/*
 * The source that defines the tracepoints of LTTng-UST and what records them. One
 * program or library has it once for each provider. Without the backend ust it
 * defines nothing, so that a build need not know which backends are chosen.
 */
#include "emit/c_code.h"
#include "emit/ust.h"

/* The templates read like what they make. */
/* clang-format off */
static const char definitions[] =
	"${banner}"
	"#define LTTNG_UST_TRACEPOINT_CREATE_PROBES\n"
	"#define LTTNG_UST_TRACEPOINT_DEFINE\n"
	"#include \"${header}\"\n";

static const char nothing[] =
	"${banner}"
	"#include \"${header}\"\n";
/* clang-format on */

void emit_format_ust_events_c(struct emit_context *c)
{
	OUT(c->out, ust_is_chosen(c) ? definitions : nothing, { "banner", c_banner(c) },
		{ "header", c->ust_header });
}
