/* SPDX-License-Identifier: MIT */
/*
 * A selected time as a flame graph: the part of each scope that is in the time, also of those that
 * began before or end after it. The picture has a script of its own, so the browser must run it
 * apart from the page: see the table in answers.c.
 */
#include <stdio.h>

#include "analyse/stacks.h"
#include "cmd/view/answer/part.h"
#include "view/flamegraph/flamegraph.h"

struct flame {
	struct part part;
	struct stacks stacks;
};

static void resume(void *flame, const struct level_scope *scope, const struct event_class *class)
{
	struct flame *f = flame;

	stacks_resume(&f->stacks, &scope->key, class, (uint64_t)f->part.from_ns);
}

/* Adds a record; what was before the time is moved to its begin, so that it takes no time. */
static void add_record(struct flame *f, struct record *rec)
{
	bool is_wanted = stacks_wants(&f->stacks, rec);
	const struct value *values = is_wanted ? reader_values(f->part.reader, rec) : NULL;

	f->stacks.is_before = (int64_t)rec->ns < f->part.from_ns;
	if (f->stacks.is_before) {
		rec->ns = (uint64_t)f->part.from_ns;
	}
	stacks_see(&f->stacks, rec->ns);
	if (is_wanted || rec->kind == RECORD_GAP) {
		stacks_add(&f->stacks, rec, values);
	}
}

static void add_records(struct flame *f, struct viewer *v)
{
	struct record records[SESSION_FEW];
	int64_t to_ns;
	size_t count;

	part_resume(&f->part, v, resume, f);
	while ((count = part_next(&f->part, records))) {
		for (size_t i = 0; i < count; i++) {
			add_record(f, &records[i]);
		}
	}
	viewer_lock(v);
	to_ns = v->levels.last_ns < f->part.to_ns ? v->levels.last_ns : f->part.to_ns;
	viewer_unlock(v);
	f->stacks.is_before = to_ns < f->part.from_ns;
	stacks_see(&f->stacks, (uint64_t)to_ns);
	stacks_end(&f->stacks);
}

static void put(
	const struct viewer *v, const struct part *p, const struct stacks *stacks, struct out *out)
{
	struct flamegraph g;
	char title[64];

	snprintf(title, sizeof(title), "%zu traces", v->session->trace_count);
	flamegraph_init(&g);
	g.is_icicle = true; /* as the timeline: what is inside is below */
	stacks_draw(stacks, p->reader, &g);
	flamegraph_put(&g, out, v->session->trace ? v->session->trace : title);
	flamegraph_fini(&g);
}

unsigned int answer_flame(struct viewer *v, const struct question *q, struct out *out)
{
	struct flame f;
	unsigned int status = part_open(&f.part, v, q, out);

	if (status != 200) {
		return status;
	}
	const struct stacks_options options = { .reader = f.part.reader, .with_unfinished = true };

	stacks_init(&f.stacks, &f.part.reader->classes, &options);
	add_records(&f, v);
	if (part_is_over(&f.part)) {
		status = answer_stopped(out);
	} else {
		put(v, &f.part, &f.stacks, out);
	}
	stacks_fini(&f.stacks);
	part_close(&f.part);
	return status;
}
