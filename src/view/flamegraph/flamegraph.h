/* SPDX-License-Identifier: MIT */
/*
 * A flame graph: time by stacks of names, as an SVG file, folded text or JSON. Stacks are added in
 * any order and share the frames of equal beginnings. Invariant: a frame is made after its parent,
 * so that totals are summed from the last frame to the first, without recursion. Ends the program
 * if memory is exhausted. One thread.
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
	const char *name; /* equal names have the same pointer */
	struct flame_frame *parent; /* NULL for the root */
	struct flame_frame *child; /* first child by name, after flamegraph_settle() */
	struct flame_frame *next; /* next child of the same parent */
	uint64_t self_ns;
	uint64_t total_ns; /* time of the frame and its children, after flamegraph_settle() */
	uint64_t before_self_ns; /* the same two of what it is compared with */
	uint64_t before_ns;
	uint64_t count;
	uint64_t hash; /* hash of the names from the root to this frame */
	uint64_t start_ns; /* left edge in the picture */
	uint32_t depth; /* 0: the root */
	bool is_kernel; /* drawn in another colour */
};

struct flamegraph {
	struct arena arena;
	struct hash names;
	VEC(struct flame_frame *) frames; /* the root first */
	struct flame_frame **slots; /* finds frames by parent and name */
	size_t slot_count; /* a power of two, at least twice the frames */
	struct flame_frame *root;
	bool is_compared; /* the colours show differences from before */
	bool is_icicle; /* the picture has its root at the top; else at the bottom */
	uint32_t deepest; /* depth of the deepest drawn frame, while the picture is written */
};

void flamegraph_init(struct flamegraph *g);
void flamegraph_fini(struct flamegraph *g);

/*
 * Returns the frame of a name below another frame; makes it if needed. Copies the name, which may
 * have any bytes. The caller adds to `self_ns` and `count`.
 */
struct flame_frame *flamegraph_child(
	struct flamegraph *g, struct flame_frame *parent, const char *name);

/* Sums the totals, up to UINT64_MAX, and sorts children by name. Frames may still be added. */
void flamegraph_settle(struct flamegraph *g);

/*
 * Makes the times so far those of before; the times added from now on are compared with them, by
 * their shares of all time. The picture shows both.
 */
void flamegraph_compare(struct flamegraph *g);

struct stacks;
struct reader;

/* Adds the stacks of scopes, after stacks_end(). `reader` has the names of processes. */
void stacks_draw(const struct stacks *s, const struct reader *reader, struct flamegraph *g);

/* The numbers of a drawn graph. */
struct flame_counts {
	uint64_t frames; /* below the root */
	uint64_t left_out; /* of these, frames thinner than a tenth of a pixel */
};

/*
 * Writes the graph as SVG, with `title` above it. The same stacks give the same bytes, whatever the
 * order. The script inside zooms and searches, and needs no network; without scripts the picture is
 * static. Errors are in `out`.
 */
struct flame_counts flamegraph_put(struct flamegraph *g, struct out *out, const char *title);

/*
 * Writes the graph as text: `a;b;c NS`, one line for each stack with its own time, the input of
 * other tools for flame graphs. `;` and control characters in names are escaped, as `\x3b`.
 */
void flamegraph_put_folded(struct flamegraph *g, struct out *out);

/*
 * Writes the graph as JSON: an object for each frame with name, value (ns), self, count, children.
 */
void flamegraph_put_json(struct flamegraph *g, struct out *out);

#endif
