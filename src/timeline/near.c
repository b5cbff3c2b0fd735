/* SPDX-License-Identifier: MIT */
/*
 * A second style of timeline.c: it begins with the scopes of a checkpoint, and keeps what lies in
 * the wanted time. Its threads and lanes are matched with those of the levels, which have seen the
 * whole trace.
 */
#include "timeline/near.h"

#include <string.h>

/* A thread or lane of this reading. */
struct near_track {
	uint32_t track; /* of the levels */
	VEC(struct near_item) open;
};

struct nearing {
	struct near *near;
	const struct levels *levels;
	struct timeline timeline;
	struct timeline_counters counters;
	VEC(struct near_track) threads; /* by index of the timeline's threads */
	VEC(struct near_track) lanes; /* by index of its lanes */
	VEC(uint32_t) names; /* in the levels, by class index; NAME_UNKNOWN: not asked */
};

#define NAME_UNKNOWN UINT32_MAX

/* Keeps an item that is in the time. */
static void keep(struct nearing *n, const struct near_item *item)
{
	if (item->begin_ns > n->near->to_ns || item->end_ns < n->near->from_ns) {
		return;
	}
	if (n->near->items.count >= n->near->limit) {
		n->near->is_cut = true;
		return;
	}
	vec_push(&n->near->items, *item);
}

/* ---- The style ---- */

static void add_thread(void *nearing, const struct timeline_thread *thread)
{
	struct nearing *n = nearing;
	const struct timeline_process *p = timeline_process_of(&n->timeline, thread);

	vec_push(&n->threads, ((struct near_track){ .track = levels_thread(n->levels, p->trace,
							    p->pid, thread->tid) }));
}

static void add_lane(void *nearing, const struct timeline_lane *lane)
{
	struct nearing *n = nearing;
	size_t number = 0;

	/* The lanes of the name before this one, which is the last. */
	for (size_t i = 0; i + 1 < n->timeline.lanes.count; i++) {
		const struct timeline_lane *other = &n->timeline.lanes.items[i];

		number += other->process == lane->process && other->name == lane->name;
	}
	uint32_t track = levels_lane(n->levels, &n->timeline.processes.items[lane->process],
		n->timeline.pairs.names.items[lane->name], number);

	vec_push(&n->lanes, ((struct near_track){ .track = track }));
}

static struct near_track *track_of(struct nearing *n, const struct timeline_event *e)
{
	if (e->lane) {
		return &n->lanes.items[e->lane - n->timeline.lanes.items];
	}
	return &n->threads.items[e->thread->index];
}

/* Returns the name of a class in the levels: another reader may have met it earlier or later. */
static uint32_t name_of(struct nearing *n, const struct event_class *class)
{
	while (n->names.count <= class->index) {
		vec_push(&n->names, NAME_UNKNOWN);
	}
	uint32_t *name = &n->names.items[class->index];

	if (*name == NAME_UNKNOWN) {
		const struct event_class *known =
			classes_like(&n->levels->timeline.reader->classes, class);

		*name = known ? (uint32_t)known->index + 1 : 0;
	}
	return *name;
}

static struct near_item item_of(
	struct nearing *n, const struct near_track *t, const struct timeline_event *e)
{
	return (struct near_item){
		.track = t->track,
		.depth = (uint32_t)t->open.count,
		.trace = e->rec ? e->rec->trace : 0,
		.is_continued = e->is_continued,
		.begin_ns = (int64_t)e->ns,
		.end_ns = (int64_t)e->ns,
		.offset = e->rec ? e->rec->offset : 0,
		.name = name_of(n, e->class),
	};
}

static void add_event(void *nearing, const struct timeline_event *e)
{
	struct nearing *n = nearing;
	struct near_track *t = track_of(n, e);
	struct near_item item = item_of(n, t, e);

	switch (e->kind) {
	case TIMELINE_INSTANT:
		item.kind = NEAR_EVENT;
		item.depth = 0;
		keep(n, &item);
		break;
	case TIMELINE_BEGIN:
	case TIMELINE_ASYNC_BEGIN:
		item.kind = NEAR_SLICE;
		item.end_ns = NEAR_OPEN;
		vec_push(&t->open, item);
		break;
	case TIMELINE_END:
	case TIMELINE_ASYNC_END:
		if (t->open.count > 0) {
			item = t->open.items[--t->open.count];
			item.end_ns = (int64_t)e->ns;
			keep(n, &item);
		}
		break;
	}
}

static void add_gap(void *nearing, const struct timeline_thread *thread, const struct record *rec)
{
	struct nearing *n = nearing;

	keep(n, &(struct near_item){
			.kind = NEAR_LOSS,
			.track = n->threads.items[thread->index].track,
			.trace = rec->trace,
			.begin_ns = (int64_t)rec->ns,
			.end_ns = (int64_t)rec->ns,
			.offset = rec->offset,
			.lost = losses_events(&rec->gap),
		});
}

static const struct timeline_style style = {
	.needs_no_values = true,
	.put_thread = add_thread,
	.put_lane = add_lane,
	.put_event = add_event,
	.put_gap = add_gap,
};

/* ---- Reading ---- */

static void begin(struct nearing *n, struct reader *reader, const struct level_checkpoint *c)
{
	const struct reader_needs needs = {
		.from_ns = c ? c->ns : INT64_MIN,
		.to_ns = n->near->to_ns,
		.is_part = true,
	};

	timeline_init(&n->timeline, reader, &n->counters, &style, n);
	reader_limit(reader, &needs);
	for (size_t i = 0; c && i < c->count; i++) {
		const struct event_class *class = levels_class_in(n->levels, &c->scopes[i], reader);

		if (class) {
			timeline_resume(&n->timeline, &c->scopes[i].key, class,
				(uint64_t)c->scopes[i].begin_ns);
		}
	}
}

/* Adds the records between the checkpoint and the end of the time. */
static void read_records(struct nearing *n, struct reader *reader, int64_t from_ns)
{
	enum read_result result;
	struct record rec;

	while ((result = reader_next(reader, &rec)) == READ_RECORD || result == READ_PROBLEM) {
		if (result == READ_PROBLEM) {
			n->near->problems++;
			continue;
		}
		if ((int64_t)rec.ns > n->near->to_ns) {
			return;
		}
		if ((int64_t)rec.ns >= from_ns &&
			(!n->near->filter || filter_passes(n->near->filter, &rec))) {
			timeline_add(&n->timeline, &rec);
		}
	}
	n->near->problems += result == READ_DAMAGED;
}

/* Keeps the slices that go on. */
static void keep_open(struct nearing *n, struct near_track *t)
{
	vec_foreach (const struct near_item *, item, &t->open) {
		keep(n, item);
	}
	vec_fini(&t->open);
}

void near_read(struct near *n, const struct levels *l, struct reader *reader)
{
	const struct level_checkpoint *c = levels_checkpoint(l, n->from_ns);
	struct nearing all = { .near = n, .levels = l };

	begin(&all, reader, c);
	read_records(&all, reader, c ? c->ns : INT64_MIN);
	vec_foreach (struct near_track *, t, &all.threads) {
		keep_open(&all, t);
	}
	vec_foreach (struct near_track *, t, &all.lanes) {
		keep_open(&all, t);
	}
	vec_fini(&all.threads);
	vec_fini(&all.lanes);
	vec_fini(&all.names);
	timeline_fini(&all.timeline);
}

void near_fini(struct near *n)
{
	vec_fini(&n->items);
}
