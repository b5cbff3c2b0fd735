/* SPDX-License-Identifier: MIT */
/* Stacks of scopes as a flame graph: what its frames are called. */
#ifndef VIEW_FLAMEGRAPH_STACKS_H
#define VIEW_FLAMEGRAPH_STACKS_H

#include "analyse/stacks.h"
#include "read/reader.h"
#include "view/flamegraph/flamegraph.h"

/* Adds what has happened in the stacks, after stacks_end(); `reader` knows the processes. */
void stacks_draw(const struct stacks *s, const struct reader *reader, struct flamegraph *g);

#endif
