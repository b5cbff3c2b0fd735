/* SPDX-License-Identifier: MIT */
/* Builds flame graphs from stacks given as text, for the tests of this folder. */
#ifndef TESTS_FLAME_STACKS_H
#define TESTS_FLAME_STACKS_H

#include "view/flamegraph/flamegraph.h"

/* Adds `ns` and `count` to the frame at the end of `depth` names, outermost first. */
static inline void add_stack(
	struct flamegraph *g, const char *const *stack, size_t depth, uint64_t ns, uint64_t count)
{
	struct flame_frame *f = g->root;

	for (size_t i = 0; i < depth; i++) {
		f = flamegraph_child(g, f, stack[i]);
	}
	f->self_ns += ns;
	f->count += count;
}

#endif
