/* SPDX-License-Identifier: MIT */
/* Trees: what callbacks have said, rendered. */
#include "brace/internal.h"

void brace_tree_put(struct waymark_formatter *f, const struct waymark_debug *v)
{
	(void)v;
	f->to->verbatim(f, "...", 3);
}
