/* SPDX-License-Identifier: MIT */
/* The groups of lives, found by path and outcome. Memory is bounded by LIFE_GROUPS_MAX. */
#include "analyse/life/life_groups.h"

#include <stdlib.h>

#include "base/memory.h"

void life_groups_fini(struct life_groups *g)
{
	vec_foreach (struct life_group *, group, &g->all) {
		for (uint32_t i = 0; i < group->step_count; i++) {
			distribution_fini(&group->times[i]);
		}
		if (group->row.lengths) {
			distribution_fini(group->row.lengths);
		}
		free(group->row.lengths);
		free(group->times);
		free(group->parts);
	}
	vec_fini(&g->all);
	keys_fini(&g->by_key);
	*g = (struct life_groups){ 0 };
}

static struct life_group *new_group(struct life_groups *g, const struct life *life, uint32_t path)
{
	struct life_group group = {
		.path = path,
		.per = life->group,
		.outcome = life->outcome,
		.is_doubtful = life->is_doubtful,
		.step_count = path == PATHS_OTHER ? 0 : life->step_count,
	};

	if (group.step_count) {
		group.parts = xcalloc(group.step_count, sizeof(*group.parts));
		group.times = xcalloc(group.step_count, sizeof(*group.times));
	}
	vec_push(&g->all, group);
	return &g->all.items[g->all.count - 1];
}

static struct life_group *find(struct life_groups *g, const struct life *life, uint32_t path)
{
	const struct key key = {
		.pid = life->group,
		.tid = path,
		.name = (uint32_t)life->outcome * 2 + life->is_doubtful,
	};
	uint32_t index = keys_get(&g->by_key, &key);

	if (index != KEYS_NONE) {
		return &g->all.items[index];
	}
	if (path != PATHS_OTHER && g->all.count >= LIFE_GROUPS_MAX) {
		return find(g, life, PATHS_OTHER);
	}
	keys_swap(&g->by_key, &key, (uint32_t)g->all.count);
	return new_group(g, life, path);
}

static void add_steps(struct life_group *group, const struct life *life)
{
	for (uint32_t i = 0; i < group->step_count; i++) {
		const struct life_step *step = &life->steps[i];
		struct path_part *part = &group->parts[i];

		part->min = !part->min || step->count < part->min ? step->count : part->min;
		part->max = step->count > part->max ? step->count : part->max;
		part->loops |= step->loops;
		/* The last step has no time after it, unless it is repeated. */
		if (i + 1 < group->step_count || step->count > 1) {
			distribution_add(&group->times[i], step->ns);
		}
	}
}

static void count(struct life_groups *g, const struct life *life)
{
	g->unpaired.unfinished += life->outcome == LIFE_UNFINISHED;
	g->unpaired.end_lost += life->outcome == LIFE_END_LOST;
	g->unpaired.begun_twice += life->outcome == LIFE_BEGUN_TWICE;
	g->doubtful += life->outcome == LIFE_ENDED && life->is_doubtful;
	if (life->is_restarted) {
		g->restarted++;
		g->restarted_by = life->first;
	}
}

void life_groups_add(struct life_groups *g, const struct life *life)
{
	struct life_group *group = find(g, life, life->path);

	report_add(&group->row, life->end_ns - life->begin_ns);
	add_steps(group, life);
	count(g, life);
}

/* Equal ranks are in the order of their first lives, which is that of the trace. */
static int compare(const void *a, const void *b, void *order)
{
	const struct life_group *x = a;
	const struct life_group *y = b;
	uint64_t first = report_rank(&x->row, *(const enum report_order *)order);
	uint64_t second = report_rank(&y->row, *(const enum report_order *)order);

	if ((x->outcome == LIFE_ENDED) != (y->outcome == LIFE_ENDED)) {
		return x->outcome == LIFE_ENDED ? -1 : 1;
	}
	if (first != second) {
		return first < second ? 1 : -1;
	}
	if (x->path != y->path) {
		return x->path < y->path ? -1 : 1;
	}
	if (x->per != y->per) {
		return x->per < y->per ? -1 : 1;
	}
	return (int)(x->outcome * 2 + x->is_doubtful) - (int)(y->outcome * 2 + y->is_doubtful);
}

void life_groups_sort(struct life_groups *g, enum report_order order)
{
	if (g->all.count > 0) {
		qsort_r(g->all.items, g->all.count, sizeof(*g->all.items), compare, &order);
	}
}
