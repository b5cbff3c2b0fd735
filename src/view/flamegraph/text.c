/* SPDX-License-Identifier: MIT */
/*
 * Writes a flame graph for programs: folded stacks and JSON. Uses no recursion, as stacks may be
 * deep.
 */
#include <inttypes.h>

#include "base/escape.h"
#include "view/flamegraph/flamegraph.h"
#include "view/message/json.h"

/* Writes a name as a part of a folded stack. */
static void put_part(struct out *out, const char *name)
{
	char escape[ESCAPE_MAX];

	for (; *name; name++) {
		unsigned char c = (unsigned char)*name;

		if (c == ';') {
			out_str(out, "\\x3b");
		} else if (c < 0x20 || c == 0x7f) {
			out_bytes(out, escape, escape_byte(escape, c));
		} else {
			out_char(out, *name);
		}
	}
}

/* Writes the names from below the root to a frame; `path` has room for all of them. */
static void put_stack(struct out *out, const struct flame_frame *f, const char **path)
{
	uint32_t depth = f->depth;

	for (; f->parent; f = f->parent) {
		path[f->depth] = f->name;
	}
	for (uint32_t i = 1; i <= depth; i++) {
		out_str(out, i > 1 ? ";" : "");
		put_part(out, path[i]);
	}
}

static struct flame_frame *next_of(struct flame_frame *f)
{
	if (f->child) {
		return f->child;
	}
	while (f && !f->next) {
		f = f->parent;
	}
	return f ? f->next : NULL;
}

void flamegraph_put_folded(struct flamegraph *g, struct out *out)
{
	size_t depth = 0;

	flamegraph_settle(g);
	vec_foreach (struct flame_frame *const *, f, &g->frames) {
		depth = (*f)->depth > depth ? (*f)->depth : depth;
	}
	const char **path = xcalloc(depth + 1, sizeof(*path));

	for (struct flame_frame *f = g->root; f; f = next_of(f)) {
		if (f->self_ns > 0 && f->parent) {
			put_stack(out, f, path);
			out_printf(out, " %" PRIu64 "\n", f->self_ns);
		}
	}
	free(path);
}

static void put_head(struct out *out, const struct flame_frame *f)
{
	out_str(out, "{\"name\":");
	json_out_string(out, f->name);
	out_printf(out,
		",\"value\":%" PRIu64 ",\"self\":%" PRIu64 ",\"count\":%" PRIu64 ",\"children\":[",
		f->total_ns, f->self_ns, f->count);
}

/* Closes a frame, and each parent whose last child it is; returns the next frame. */
static const struct flame_frame *close_frames(struct out *out, const struct flame_frame *f)
{
	for (; f && !f->next; f = f->parent) {
		out_str(out, "]}");
	}
	if (!f) {
		return NULL;
	}
	out_str(out, "]},\n");
	return f->next;
}

void flamegraph_put_json(struct flamegraph *g, struct out *out)
{
	flamegraph_settle(g);

	const struct flame_frame *f = g->root;

	while (f) {
		put_head(out, f);
		f = f->child ? f->child : close_frames(out, f);
	}
	out_char(out, '\n');
}
