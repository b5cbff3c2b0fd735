/* SPDX-License-Identifier: MIT */
/*
 * Converts values of an event: callbacks to trees for the recorder, and any value to text for
 * external tracers. Called by generated code in any thread; as async-signal-safe as the callbacks.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <waymark/record.h>

#include "base/compiler.h"
#include "brace/brace.h"
#include "brace/tree.h"
#include "rt/event/registry.h"
#include "rt/text/flatten.h"

/* ---- Callbacks as trees ---- */

/*
 * A value to make a tree of. Its callback is called once if the tree fits into the room on the
 * stack, and once more if it needs mapped memory. All values of an event share one mapping, which
 * is as long as a record may be.
 */
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

/* Returns false, and leaves the room unchanged, if the tree does not fit. */
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

/* Returns false if there is no memory, or if less of it is left than of the room. */
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

/* Makes as much of the tree as the room holds. */
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
	const char *message = event->flags & WAYMARK_EVENT_BRACES ? event_format(event) : "";
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

/* ---- As text ---- */

static const char cut_mark[] = "...";

/* Returns the start of the UTF-8 character that contains the byte at `at`. */
static size_t character_start(const char *text, size_t at)
{
	while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80) {
		at--;
	}
	return at;
}

void waymark_debug_print(const struct waymark_debug *value, char *buffer, size_t size)
{
	const struct brace_spec spec = {
		.type = BRACE_DEBUG, .fill = ' ', .width = -1, .precision = -1
	};
	struct brace_sink s;

	brace_sink_buffer(&s, buffer, size);
	s.wanted = size;
	brace_render(&s, &spec, value);
	if (s.length > s.used && size > sizeof(cut_mark)) {
		size_t room = size - sizeof(cut_mark);
		size_t at = s.used < room ? s.used : character_start(buffer, room);

		memcpy(buffer + at, cut_mark, sizeof(cut_mark));
	}
}
