/* SPDX-License-Identifier: MIT */
/*
 * Callbacks of an event's values, made trees. A callback is called once where what it says
 * fits into the stack's room, and once more where it needs mapped memory; there is one
 * mapping for all values of an event, as long as a record may be.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <waymark/flatten.h>
#include <waymark/record.h>

#include "base/compiler.h"
#include "brace/tree.h"

/* What is done: a value, how it is shown, and into what. */
struct flattening {
	struct waymark_trees *trees;
	struct brace_spec spec;
	struct waymark_debug *value;
};

static void set_tree(struct flattening *f, const struct brace_tree *tree)
{
	f->value->kind = WAYMARK_DEBUG_TREE;
	f->value->length = (uint32_t)tree->used;
	f->value->as.pointer = tree->bytes;
}

/* False where the room does not hold it: then nothing of the room is used. */
static bool build_in_room(struct flattening *f)
{
	struct waymark_trees *t = f->trees;
	struct brace_tree tree;

	if (t->used == sizeof(t->room) || !brace_tree_build(&tree, t->room + t->used,
						  sizeof(t->room) - t->used, &f->spec, f->value)) {
		return false;
	}
	t->used += (uint32_t)tree.used;
	set_tree(f, &tree);
	return true;
}

static bool map(struct waymark_trees *t)
{
	void *p;

	if (t->mapped) {
		return true;
	}
	p = mmap(NULL, WAYMARK_RECORD_MAX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		0);
	t->mapped = p == MAP_FAILED ? NULL : p;
	return t->mapped;
}

/* False without memory, or with less of it left than the room has. */
static COLD bool build_mapped(struct flattening *f)
{
	struct waymark_trees *t = f->trees;
	struct brace_tree tree;

	if (WAYMARK_RECORD_MAX - t->mapped_used <= sizeof(t->room) - t->used || !map(t)) {
		return false;
	}
	brace_tree_build(&tree, (char *)t->mapped + t->mapped_used,
		WAYMARK_RECORD_MAX - t->mapped_used, &f->spec, f->value);
	t->mapped_used += (uint32_t)tree.used;
	set_tree(f, &tree);
	return true;
}

/* As much as the room has. */
static COLD void build_cut(struct flattening *f)
{
	static unsigned char cut = BRACE_TOKEN_CUT; /* never written */
	struct waymark_trees *t = f->trees;
	struct brace_tree tree = { .bytes = &cut, .used = 1 };

	if (t->used < sizeof(t->room)) {
		brace_tree_build(
			&tree, t->room + t->used, sizeof(t->room) - t->used, &f->spec, f->value);
		t->used += (uint32_t)tree.used;
	}
	set_tree(f, &tree);
}

void waymark_flatten_call(struct waymark_trees *t, const struct waymark_event *event,
	unsigned int placeholder, struct waymark_debug *value)
{
	const char *message = event->flags & WAYMARK_EVENT_BRACES ? event->format : "";
	int saved = errno;
	struct flattening f = {
		.trees = t,
		.spec = brace_spec_at(message, strlen(message), placeholder),
		.value = value,
	};

	if (!build_in_room(&f) && !build_mapped(&f)) {
		build_cut(&f);
	}
	errno = saved;
}

void waymark_trees_unmap(struct waymark_trees *t)
{
	int saved = errno;

	munmap(t->mapped, WAYMARK_RECORD_MAX);
	errno = saved;
}
