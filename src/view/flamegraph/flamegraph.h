/* SPDX-License-Identifier: MIT */
/*
 * A flame graph: time by stacks of names, as an SVG file, folded text or JSON. Stacks are added in
 * any order and share the frames of equal beginnings. Invariant: a frame is made after its parent,
 * so that totals are summed from the last frame to the first, without recursion. Out of memory
 * ends the program. One thread.
 */
#ifndef VIEW_FLAMEGRAPH_FLAMEGRAPH_H
#define VIEW_FLAMEGRAPH_FLAMEGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "text/out.h"

struct flame_frame {
	const char *name; /* the same pointer for the same name */
	struct flame_frame *parent; /* NULL of the root */
	struct flame_frame *child; /* by name, after flamegraph_settle() */
	struct flame_frame *next; /* of the same parent */
	uint64_t self_ns;
	uint64_t total_ns; /* its own and its children's, after flamegraph_settle() */
	uint64_t count;
	uint64_t hash; /* of the names from the root to here */
	uint64_t start_ns; /* left edge in the picture */
	uint32_t depth; /* 0: the root */
	bool is_kernel; /* has another colour */
};

struct flamegraph {
	struct arena arena;
	struct hash names;
	VEC(struct flame_frame *) frames; /* the root first */
	struct flame_frame **slots; /* finds frames by parent and name */
	size_t slot_count; /* a power of two, at least twice the frames */
	struct flame_frame *root;
};

void flamegraph_init(struct flamegraph *g);
void flamegraph_fini(struct flamegraph *g);

/*
 * The frame of a name below another frame, made if needed. The name is copied and may have any
 * bytes. The caller adds to `self_ns` and `count`.
 */
struct flame_frame *flamegraph_child(
	struct flamegraph *g, struct flame_frame *parent, const char *name);

/* Sums the totals, up to UINT64_MAX, and sorts children by name. Frames may be added afterwards. */
void flamegraph_settle(struct flamegraph *g);

struct stacks;
struct reader;

/* Adds the stacks of scopes, after stacks_end(); `reader` knows the names of processes. */
void stacks_draw(const struct stacks *s, const struct reader *reader, struct flamegraph *g);

/* The numbers of a picture. */
struct flame_counts {
	uint64_t frames; /* below the root */
	uint64_t left_out; /* of those, thinner than a tenth of a pixel */
};

/*
 * Writes the graph as SVG, with `title` above it. The same stacks give the same bytes, in any
 * order. A script inside zooms and searches, and needs no network; without scripts the picture is
 * still. Errors are in `out`.
 */
struct flame_counts flamegraph_put(struct flamegraph *g, struct out *out, const char *title);

/*
 * The same as text: `a;b;c NS`, a line for each stack with time of its own, the input of other
 * tools for flame graphs. `;` and controls in names are escaped, as `\x3b`.
 */
void flamegraph_put_folded(struct flamegraph *g, struct out *out);

/* The same as JSON: an object for each frame with name, value (ns), self, count, children. */
void flamegraph_put_json(struct flamegraph *g, struct out *out);

#endif
