/* SPDX-License-Identifier: MIT */
/*
 * The tree of a flame graph. One hash table, at most half full, finds the children of all frames by
 * name, so that a frame may have a million children.
 */
#include "view/flamegraph/flamegraph.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyse/stacks.h"
#include "base/memory.h"
#include "read/reader.h"

#define SLOTS_AT_FIRST 64

static struct flame_frame **find_slot(const struct flamegraph *g, uint64_t hash,
	const struct flame_frame *parent, const char *name)
{
	size_t mask = g->slot_count - 1;
	size_t i = hash & mask;

	while (g->slots[i] && (g->slots[i]->parent != parent || g->slots[i]->name != name)) {
		i = (i + 1) & mask;
	}
	return &g->slots[i];
}

static void grow(struct flamegraph *g)
{
	free(g->slots);
	g->slot_count *= 2;
	g->slots = xcalloc(g->slot_count, sizeof(struct flame_frame *));
	vec_foreach (struct flame_frame **, it, &g->frames) {
		*find_slot(g, (*it)->hash, (*it)->parent, (*it)->name) = *it;
	}
}

static struct flame_frame *make_frame(
	struct flamegraph *g, struct flame_frame *parent, const char *name, uint64_t hash)
{
	struct flame_frame *f = arena_new(&g->arena, struct flame_frame);

	f->name = name;
	f->parent = parent;
	f->hash = hash;
	f->depth = parent ? parent->depth + 1 : 0;
	vec_push(&g->frames, f);
	return f;
}

void flamegraph_init(struct flamegraph *g)
{
	*g = (struct flamegraph){ .slot_count = SLOTS_AT_FIRST };
	arena_init(&g->arena);
	hash_init(&g->names);
	g->slots = xcalloc(g->slot_count, sizeof(struct flame_frame *));
	g->root = make_frame(g, NULL, "all", 0);
	*find_slot(g, 0, NULL, g->root->name) = g->root;
}

void flamegraph_fini(struct flamegraph *g)
{
	free(g->slots);
	vec_fini(&g->frames);
	hash_fini(&g->names);
	arena_fini(&g->arena);
}

struct flame_frame *flamegraph_child(
	struct flamegraph *g, struct flame_frame *parent, const char *name)
{
	char *known = hash_get(&g->names, name);

	if (!known) {
		known = arena_strdup(&g->arena, name);
		hash_add(&g->names, known, known);
	}
	uint64_t hash = (parent->hash ^ (uintptr_t)known) * 0x9e3779b97f4a7c15u;

	hash ^= hash >> 32;
	struct flame_frame **slot = find_slot(g, hash, parent, known);

	if (*slot) {
		return *slot;
	}
	struct flame_frame *f = make_frame(g, parent, known, hash);

	*slot = f;
	if (2 * g->frames.count > g->slot_count) {
		grow(g);
	}
	return f;
}

static int by_name(const void *a, const void *b)
{
	const struct flame_frame *const *left = a;
	const struct flame_frame *const *right = b;

	return (*left)->name == (*right)->name ? 0 : strcmp((*left)->name, (*right)->name);
}

void flamegraph_compare(struct flamegraph *g)
{
	vec_foreach (struct flame_frame **, it, &g->frames) {
		(*it)->before_self_ns = (*it)->self_ns;
		(*it)->self_ns = (*it)->count = 0;
	}
	g->is_compared = true;
}

static void add_up_to_max(uint64_t *sum, uint64_t ns)
{
	*sum = *sum > UINT64_MAX - ns ? UINT64_MAX : *sum + ns;
}

static void sum_totals(struct flamegraph *g)
{
	vec_foreach (struct flame_frame **, it, &g->frames) {
		(*it)->total_ns = (*it)->self_ns;
		(*it)->before_ns = (*it)->before_self_ns;
		(*it)->child = NULL;
	}
	for (size_t i = g->frames.count - 1; i > 0; i--) {
		struct flame_frame *f = g->frames.items[i];

		add_up_to_max(&f->parent->total_ns, f->total_ns);
		add_up_to_max(&f->parent->before_ns, f->before_ns);
	}
}

/* Sorts all frames once, then puts each before its siblings, from the last name to the first. */
static void sort_children(struct flamegraph *g)
{
	size_t n = g->frames.count;
	struct flame_frame **sorted = xcalloc(n, sizeof(*sorted));

	memcpy(sorted, g->frames.items, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_name);
	while (n-- > 0) {
		struct flame_frame *f = sorted[n];

		if (f->parent) {
			f->next = f->parent->child;
			f->parent->child = f;
		}
	}
	free(sorted);
}

void flamegraph_settle(struct flamegraph *g)
{
	sum_totals(g);
	sort_children(g);
}

/* ---- Stacks of scopes: each frame that has events ---- */

#define LABEL_BYTES 512

/* Writes the label of a process: its name and pid, and its host if traces are of several hosts. */
static void put_process(
	char label[LABEL_BYTES], const struct reader *r, const struct stack_frame *f)
{
	static const struct trace_info none = { .procname = "", .hostname = "" };
	const struct trace_info *t = f->trace < r->trace_count ? &r->traces[f->trace] : &none;
	const char *name = *t->procname ? t->procname : "process";
	const char *host = r->has_hosts ? t->hostname : "";
	const char *at = *host ? " at " : "";

	if (f->id == 0) {
		snprintf(label, LABEL_BYTES, "%s%s%s", name, at, host);
	} else {
		snprintf(label, LABEL_BYTES, "%s %u%s%s", name, f->id, at, host);
	}
}

static const char *name_of(const struct stacks *s, const struct reader *r,
	const struct stack_frame *f, char label[LABEL_BYTES])
{
	switch (f->kind) {
	case STACK_SCOPE:
		return s->pairs.names.items[f->id];
	case STACK_PROCESS:
		put_process(label, r, f);
		return label;
	case STACK_THREAD:
		snprintf(label, LABEL_BYTES, "thread %u", f->id);
		return label;
	case STACK_ASYNC:
		return "[asynchronous]";
	case STACK_KERNEL:
	case STACK_ROOT:
		break;
	}
	return f->name;
}

void stacks_draw(const struct stacks *s, const struct reader *reader, struct flamegraph *g)
{
	struct flame_frame **drawn = xcalloc(s->frames.count, sizeof(struct flame_frame *));
	char label[LABEL_BYTES];

	drawn[0] = g->root;
	for (size_t i = 1; i < s->frames.count; i++) {
		const struct stack_frame *from = &s->frames.items[i];

		if (from->events == 0) {
			continue;
		}
		if (from->is_own && !from->has_end) {
			drawn[i] = drawn[from->parent];
			continue;
		}
		struct flame_frame *to =
			flamegraph_child(g, drawn[from->parent], name_of(s, reader, from, label));

		to->self_ns += from->self_ns;
		to->count += from->count;
		to->is_kernel |= from->kind == STACK_KERNEL;
		drawn[i] = to;
	}
	free(drawn);
}
