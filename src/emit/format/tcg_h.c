/* SPDX-License-Identifier: MIT */
/*
 * The header that a translator in QEMU includes: trace_<event>_tcg() of each `tcg`
 * event. What it calls is in the format tcg-helper-wrapper-h.
 */
#include "emit/tcg/tcg_helper.h"

/* The templates read like what they make. */
/* clang-format off */
static const char file_begin[] =
	"${banner}"
	"#ifndef ${guard}\n"
	"#define ${guard}\n"
	"\n"
	"#include \"exec/helper-proto.h\"\n"
	"\n"
	"#include \"exec/helper-gen.h\"\n"
	"\n"
	"#include \"${header}\"\n";

static const char file_end[] =
	"\n"
	"#endif\n";
/* clang-format on */

static void emit_event(struct emit_context *c, const struct event *exec)
{
	tcg_emit_begin(c, exec);
	tcg_emit_function(c, exec, &tcg_host_types);
}

void emit_format_tcg_h(struct emit_context *c)
{
	OUT(c->out, file_begin, { "banner", c_banner(c) },
		{ "guard", c_guard(c, "TRACE_", "_GENERATED_TCG_H") }, { "header", c->header });
	tcg_for_each(c, emit_event);
	out_str(c->out, file_end);
}
