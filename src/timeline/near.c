/* SPDX-License-Identifier: MIT */
/*
 * A second style of timeline.c: it begins with the scopes of a checkpoint, and keeps what lies in
 * the wanted time. At the end, its threads, lanes and classes are matched with those of the levels,
 * which have seen the whole trace.
 */
#include "timeline/near.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A thread or lane of this reading. */
struct near_track {
	uint32_t track; /* of the levels; set at the end */
	uint32_t thread; /* index of the timeline's threads, or lanes */
	bool is_lane;
	VEC(struct near_item) open; /* of a thread */
};

struct nearing {
	struct near *near;
	struct reader *reader;
	int64_t from_ns; /* of the checkpoint */
	struct timeline timeline;
	struct timeline_counters counters;
	size_t open; /* items of all tracks */
	VEC(struct near_track) tracks; /* until the end, an item has an index of it */
	VEC(uint32_t) of_threads; /* tracks by index of the timeline's threads */
	VEC(uint32_t) of_lanes; /* by index of its lanes */
	VEC(struct near_item) in_lanes; /* open slices; name 0: this entry is free */
	VEC(uint32_t) free; /* of them */
};

/* Returns true if there may be one more item, and notes that there is if not. */
static bool has_room(struct nearing *n)
{
	n->near->is_cut |= n->near->items.count + n->open >= n->near->limit;
	return !n->near->is_cut;
}

/* Keeps an item that is in the time. */
static void keep(struct nearing *n, const struct near_item *item)
{
	if (item->begin_ns > n->near->to_ns || item->end_ns < n->near->from_ns) {
		return;
	}
	if (has_room(n)) {
		vec_push(&n->near->items, *item);
	}
}

/* Keeps a slice until its end. */
static void keep_begin(struct nearing *n, struct near_track *t, const struct near_item *item)
{
	if (has_room(n)) {
		vec_push(&t->open, *item);
		n->open++;
	}
}

/* ---- The style ---- */

static void add_thread(void *nearing, const struct timeline_thread *thread)
{
	struct nearing *n = nearing;

	vec_push(&n->of_threads, (uint32_t)n->tracks.count);
	vec_push(&n->tracks, ((struct near_track){ .thread = thread->index }));
}

static void add_lane(void *nearing, const struct timeline_lane *lane)
{
	struct nearing *n = nearing;

	(void)lane;
	vec_push(&n->of_lanes, (uint32_t)n->tracks.count);
	vec_push(&n->tracks, ((struct near_track){ .is_lane = true,
				     .thread = (uint32_t)n->timeline.lanes.count - 1 }));
}

static uint32_t track_of(const struct nearing *n, const struct timeline_event *e)
{
	return e->lane ? n->of_lanes.items[e->lane - n->timeline.lanes.items]
		       : n->of_threads.items[e->thread->index];
}

static struct near_item item_of(
	const struct nearing *n, const struct near_track *t, const struct timeline_event *e)
{
	return (struct near_item){
		.track = (uint32_t)(t - n->tracks.items),
		.depth = (uint32_t)t->open.count, /* none in a lane */
		.trace = e->rec ? e->rec->trace : 0,
		.is_continued = e->is_continued,
		.begin_ns = (int64_t)e->ns,
		.end_ns = (int64_t)e->ns,
		.offset = e->rec ? e->rec->offset : 0,
		.name = (uint32_t)e->class->index + 1,
	};
}

static void begin_in_lane(
	struct nearing *n, const struct near_item *item, const struct timeline_event *e)
{
	has_room(n); /* the reading ends if not; the slice's end finds it all the same */
	n->open++;
	if (n->free.count == 0) {
		vec_push(&n->free, (uint32_t)n->in_lanes.count);
		vec_push(&n->in_lanes, ((struct near_item){ 0 }));
	}
	*e->note = n->free.items[--n->free.count];
	n->in_lanes.items[*e->note] = *item;
}

static void end_in_lane(struct nearing *n, const struct timeline_event *e)
{
	struct near_item *item = &n->in_lanes.items[*e->note];

	item->end_ns = (int64_t)e->ns;
	n->open--;
	keep(n, item);
	item->name = 0;
	vec_push(&n->free, *e->note);
}

static void add_event(void *nearing, const struct timeline_event *e)
{
	struct nearing *n = nearing;
	struct near_track *t = &n->tracks.items[track_of(n, e)];
	struct near_item item = item_of(n, t, e);

	switch (e->kind) {
	case TIMELINE_INSTANT:
		item.kind = NEAR_EVENT;
		item.depth = 0;
		keep(n, &item);
		break;
	case TIMELINE_ASYNC_BEGIN:
	case TIMELINE_BEGIN:
		item.kind = NEAR_SLICE;
		item.end_ns = NEAR_OPEN;
		if (e->lane) {
			begin_in_lane(n, &item, e);
		} else {
			keep_begin(n, t, &item);
		}
		break;
	case TIMELINE_ASYNC_END:
		end_in_lane(n, e);
		break;
	case TIMELINE_END:
		if (t->open.count > 0) {
			item = t->open.items[--t->open.count];
			n->open--;
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
			.track = n->of_threads.items[thread->index],
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

static void resume(
	struct nearing *n, const struct level_scope *scope, const struct event_class *class)
{
	const struct timeline_begun begun = {
		.key = scope->key,
		.class = class,
		.begin_ns = (uint64_t)scope->begin_ns,
		.slice_ns = (uint64_t)scope->begin_ns,
		.is_doubtful = scope->is_doubtful,
		.is_dropped = scope->is_dropped,
		.lane = KEYS_NONE,
	};

	timeline_resume(&n->timeline, &begun);
}

struct nearing *near_begin(struct near *near, const struct levels *l, struct reader *reader)
{
	const struct level_checkpoint *c = levels_checkpoint(l, near->from_ns);
	struct nearing *n = xcalloc(1, sizeof(*n));
	const struct reader_needs needs = {
		.from_ns = c ? c->ns : INT64_MIN,
		.to_ns = near->to_ns,
		.is_part = true,
	};

	n->near = near;
	n->reader = reader;
	n->from_ns = needs.from_ns;
	timeline_init(&n->timeline, reader, &n->counters, &style, n);
	reader_limit(reader, &needs);
	for (size_t i = 0; c && i < c->count; i++) {
		const struct event_class *class = levels_class_in(l, &c->scopes[i], reader);

		if (class) {
			resume(n, &c->scopes[i], class);
		}
	}
	return n;
}

static bool is_wanted(const struct near *n)
{
	return !n->is_cut && !(n->is_over && __atomic_load_n(n->is_over, __ATOMIC_RELAXED));
}

void near_read(struct nearing *n)
{
	enum read_result result = READ_END;
	struct record rec;

	while (is_wanted(n->near) && ((result = reader_next(n->reader, &rec)) == READ_RECORD ||
					     result == READ_PROBLEM)) {
		if (result == READ_PROBLEM) {
			n->near->problems++;
			continue;
		}
		if ((int64_t)rec.ns > n->near->to_ns) {
			return;
		}
		if ((int64_t)rec.ns >= n->from_ns &&
			(!n->near->filter || filter_passes(n->near->filter, &rec))) {
			timeline_add(&n->timeline, &rec);
		}
	}
	n->near->problems += result == READ_DAMAGED;
}

/* Keeps the slices that go on. */
static void keep_open(struct nearing *n)
{
	n->open = 0;
	vec_foreach (struct near_track *, t, &n->tracks) {
		vec_foreach (const struct near_item *, item, &t->open) {
			keep(n, item);
		}
		vec_fini(&t->open);
	}
	vec_foreach (const struct near_item *, item, &n->in_lanes) {
		if (item->name) {
			keep(n, item);
		}
	}
}

/* Returns the track of a lane in the levels: that of its name with the same number. */
static uint32_t find_lane(const struct nearing *n, const struct levels *l, uint32_t index)
{
	const struct timeline_lane *lane = &n->timeline.lanes.items[index];

	return levels_lane(l, &n->timeline.processes.items[lane->process],
		n->timeline.pairs.names.items[lane->name], lane->number);
}

static void find_tracks(struct nearing *n, const struct levels *l)
{
	vec_foreach (struct near_track *, t, &n->tracks) {
		if (t->is_lane) {
			t->track = find_lane(n, l, t->thread);
			continue;
		}
		const struct timeline_thread *thread = &n->timeline.threads.items[t->thread];
		const struct timeline_process *p = timeline_process_of(&n->timeline, thread);

		t->track = levels_thread(l, p->trace, p->pid, thread->tid);
	}
}

/* Replaces tracks and names by those of the levels, whose reader may have met others first. */
static void match_items(struct nearing *n, const struct levels *l)
{
	const struct class_table *known = &l->timeline.reader->classes;
	size_t count = n->reader->classes.all.count;
	uint32_t *names = xcalloc(count + 1, sizeof(*names));

	for (size_t i = 0; i < count; i++) {
		const struct event_class *like =
			classes_like(known, n->reader->classes.all.items[i]);

		names[i + 1] = like ? (uint32_t)like->index + 1 : 0;
	}
	vec_foreach (struct near_item *, item, &n->near->items) {
		item->track = n->tracks.items[item->track].track;
		item->name = names[item->name];
	}
	free(names);
}

void near_end(struct nearing *n, const struct levels *l)
{
	keep_open(n);
	find_tracks(n, l);
	match_items(n, l);
	vec_fini(&n->tracks);
	vec_fini(&n->of_threads);
	vec_fini(&n->of_lanes);
	vec_fini(&n->in_lanes);
	vec_fini(&n->free);
	timeline_fini(&n->timeline);
	free(n);
}

void near_fini(struct near *n)
{
	vec_fini(&n->items);
}
