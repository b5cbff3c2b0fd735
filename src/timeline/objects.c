/* SPDX-License-Identifier: MIT */
/*
 * A life takes the lowest free lane of its group when it begins, and gives it back when it ends.
 * Those that find none share the last lane.
 */
#include "timeline/objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define OPEN_MAX ((size_t)1 << 20)

/* ---- Groups and lanes ---- */

static uint32_t find_group(struct objects *o, const struct life *life)
{
	for (uint32_t i = 0; i < o->groups.count; i++) {
		const struct object_group *g = &o->groups.items[i];

		if (g->kind == life->key.name && g->pid == life->pid && g->trace == life->trace) {
			return i;
		}
	}
	const char *name = lives_kind_name(&o->lives, life);

	vec_push(&o->groups, ((struct object_group){ .trace = life->trace,
				     .pid = life->pid,
				     .kind = life->key.name,
				     .name = xstrdup(name ? name : "") }));
	return (uint32_t)o->groups.count - 1;
}

static uint32_t take_lane(struct object_group *g)
{
	uint32_t lane = 0;

	while (lane < OBJECTS_LANES - 1 && g->taken[lane]) {
		lane++;
	}
	g->taken[lane] = true;
	g->lanes = lane >= g->lanes ? lane + 1 : g->lanes;
	return lane;
}

/* ---- Too many lives ---- */

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t length_of(const struct object_life *life)
{
	return life->end_ns - life->begin_ns;
}

/* Drops the shorter half. */
static void drop_short(struct objects *o)
{
	int64_t *lengths = xcalloc(o->all.count, sizeof(*lengths));
	size_t kept = 0;

	for (size_t i = 0; i < o->all.count; i++) {
		lengths[i] = length_of(&o->all.items[i]);
	}
	qsort(lengths, o->all.count, sizeof(*lengths), by_number);
	o->shortest_ns = lengths[o->all.count / 2] + 1;
	free(lengths);
	vec_foreach (struct object_life *, life, &o->all) {
		if (length_of(life) >= o->shortest_ns) {
			o->all.items[kept++] = *life;
		} else {
			o->groups.items[life->group].left++;
			free(life->key);
		}
	}
	o->all.count = kept;
}

/* ---- Lives ---- */

static void note_class(struct objects *o, const struct event_class *class, uint32_t kind)
{
	while (o->classes.count <= class->index) {
		vec_push(&o->classes, ((struct object_class){ 0 }));
	}
	struct object_class *c = &o->classes.items[class->index];

	*c = (struct object_class){
		.is_step = true, .kind = kind, .key = life_kinds_key(class->event)
	};
}

static void on_step(void *objects, struct life *life, const struct record *rec)
{
	struct objects *o = objects;

	if (rec->class->index >= o->classes.count || !o->classes.items[rec->class->index].is_step) {
		note_class(o, rec->class, life->key.name);
	}
	if (life->mark == 0) {
		uint32_t group = find_group(o, life);

		life->mark = 1 + take_lane(&o->groups.items[group]);
	}
}

static void on_end(void *objects, const struct life *life)
{
	struct objects *o = objects;
	uint32_t group = find_group(o, life);
	struct object_group *g = &o->groups.items[group];
	bool is_open = life->outcome == LIFE_UNFINISHED;
	struct object_life own = {
		.begin_ns = (int64_t)life->begin_ns,
		.end_ns = is_open ? NEAR_OPEN : (int64_t)life->end_ns,
		.group = group,
		.lane = life->mark > 0 ? life->mark - 1 : 0,
	};

	g->taken[own.lane] = false;
	g->count++;
	if (length_of(&own) < o->shortest_ns) {
		g->left++;
		return;
	}
	own.key = lives_key_text(&o->lives, life);
	vec_push(&o->all, own);
	if (o->all.count >= OBJECTS_MAX) {
		drop_short(o);
	}
}

/* ---- The pass ---- */

void objects_begin(struct objects *o, struct reader *reader, field_text_fn *text, bool is_across)
{
	filter_init(&o->filter);
	o->options = (struct lives_options){
		.rules.filter = &o->filter,
		.text = text,
		.max_open = OPEN_MAX,
		.is_across = is_across,
		.data = o,
		.stepped = on_step,
		.ended = on_end,
	};
	lives_init(&o->lives, &o->options, reader);
	lives_check(&o->lives);
	o->has_lives = true;
}

void objects_add(struct objects *o, const struct record *rec)
{
	if (!o->lives.error[0]) {
		lives_add(&o->lives, rec);
	}
}

void objects_end(struct objects *o)
{
	lives_end(&o->lives);
	snprintf(o->error, sizeof(o->error), "%s", o->lives.error);
	lives_fini(&o->lives);
	filter_fini(&o->filter);
	o->has_lives = false;
}

void objects_fini(struct objects *o)
{
	vec_foreach (struct object_group *, g, &o->groups) {
		free(g->name);
	}
	vec_foreach (struct object_life *, life, &o->all) {
		free(life->key);
	}
	vec_fini(&o->groups);
	vec_fini(&o->all);
	vec_fini(&o->classes);
}

void objects_near(const struct objects *o, struct near *near)
{
	for (size_t i = 0; i < o->all.count; i++) {
		const struct object_life *life = &o->all.items[i];

		if (life->begin_ns > near->to_ns || life->end_ns < near->from_ns) {
			continue;
		}
		vec_push(&near->items, ((struct near_item){
					       .kind = NEAR_SLICE,
					       .track = life->group,
					       .depth = life->lane,
					       .trace = o->groups.items[life->group].trace,
					       .begin_ns = life->begin_ns,
					       .end_ns = life->end_ns,
					       .name = (uint32_t)i + 1,
				       }));
	}
}
