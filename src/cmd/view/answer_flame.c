/* SPDX-License-Identifier: MIT */
/*
 * A selected time as a flame graph: what `waymark flamegraph --icicle` draws with --since and
 * --until. The picture has a script of its own, so the browser must run it apart from the page: see
 * the table in answers.c.
 */
#include <stdio.h>

#include "analyse/stacks.h"
#include "cmd/view/part.h"
#include "view/flamegraph/flamegraph.h"

static void add_records(struct part *p, struct stacks *stacks)
{
	struct record records[SESSION_FEW];
	size_t count;

	while ((count = part_next(p, records))) {
		for (size_t i = 0; i < count; i++) {
			const struct record *rec = &records[i];
			bool is_wanted = stacks_wants(stacks, rec);

			stacks_see(stacks, rec->ns);
			if (is_wanted || rec->kind == RECORD_GAP) {
				stacks_add(stacks, rec,
					is_wanted ? reader_values(p->reader, rec) : NULL);
			}
		}
	}
	stacks_end(stacks);
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
	struct part p;
	unsigned int status = part_open(&p, v, q, out);

	if (status != 200) {
		return status;
	}
	const struct stacks_options options = { .reader = p.reader };
	struct stacks stacks;

	stacks_init(&stacks, &p.reader->classes, &options);
	add_records(&p, &stacks);
	if (part_is_over(&p)) {
		status = answer_stopped(out);
	} else {
		put(v, &p, &stacks, out);
	}
	stacks_fini(&stacks);
	part_close(&p);
	return status;
}
