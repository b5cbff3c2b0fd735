/* SPDX-License-Identifier: MIT */
/*
 * The helpers that translated code calls, as QEMU declares helpers: a list without
 * a guard, which is included once for each meaning of DEF_HELPER_FLAGS_n().
 */
#include "emit/tcg/tcg_helper.h"

/* The templates read like what they make. */
/* clang-format off */
static const char helper[] =
	"DEF_HELPER_FLAGS_${count}(trace_${name}, TCG_CALL_NO_RWG, void${words})\n";
/* clang-format on */

static const char *words(struct emit_context *c, const struct event *exec)
{
	struct out *o = c_begin(c);

	for (size_t i = 0; i < exec->arg_count; i++) {
		OUT(o, ", ${word}", { "word", tcg_word(exec, i)->name });
	}
	return c_end(c);
}

static void emit_event(struct emit_context *c, const struct event *exec)
{
	if (!event_is_on(c, exec)) {
		return;
	}
	tcg_emit_begin(c, exec);
	OUT(c->out, helper, { "count", c_number(c, exec->arg_count) }, { "name", exec->name },
		{ "words", words(c, exec) });
}

void emit_format_tcg_helper_h(struct emit_context *c)
{
	out_str(c->out, c_banner(c));
	tcg_for_each(c, emit_event);
}
