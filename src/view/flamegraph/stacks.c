/* SPDX-License-Identifier: MIT */
/* Draws stacks of scopes as a flame graph: adds each frame that has events, and names it. */
#include <stdio.h>

#include "analyse/stacks.h"
#include "read/reader.h"
#include "view/flamegraph/flamegraph.h"

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
