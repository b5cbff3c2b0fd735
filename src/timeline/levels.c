/* SPDX-License-Identifier: MIT */
/*
 * The pass that makes the levels, as a style of timeline.c, and the views of a row. All rows have
 * steps of the same width. The width doubles when a record is later than the last step, and when
 * the rows take more memory than they may.
 */
#include "timeline/levels.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Steps of a row. */
#define STEPS_MAX ((size_t)1 << 15)

/* Records between two checkpoints at first, and scopes in all of them: some 24 MiB. */
#define SPACING (UINT64_C(1) << 16)
#define SCOPES_MAX ((size_t)1 << 19)

/* ---- Rows ---- */

/* Makes each step twice as wide. */
static void widen_row(struct level_row *row)
{
	size_t count = (row->count + 1) / 2;

	for (size_t i = 0; i < count; i++) {
		row->cells[i] = row->cells[2 * i];
		if (2 * i + 1 < row->count) {
			cell_merge(&row->cells[i], &row->cells[2 * i + 1]);
		}
	}
	row->count = count;
}

static void widen(struct levels *l)
{
	l->shift++;
	vec_foreach (struct level_track *, t, &l->tracks) {
		widen_row(&t->events);
		widen_row(&t->losses);
		vec_foreach (struct level_row *, row, &t->slices) {
			widen_row(row);
		}
	}
}

/* Gives back the cells of which a row has more than steps. */
static void shrink(struct levels *l, struct level_row *row)
{
	if (row->cells) {
		row->cells = xrealloc(row->cells, l->steps * sizeof(*row->cells));
	}
}

/* Makes rows of half as many steps, each twice as wide. */
static void halve(struct levels *l)
{
	widen(l);
	l->steps /= 2;
	vec_foreach (struct level_track *, t, &l->tracks) {
		shrink(l, &t->events);
		shrink(l, &t->losses);
		vec_foreach (struct level_row *, row, &t->slices) {
			shrink(l, row);
		}
	}
}

static void add_row(struct levels *l)
{
	l->rows++;
	while (l->rows * l->steps * sizeof(struct level_cell) > LEVELS_ROW_BYTES &&
		l->steps > LEVELS_STEPS_MIN) {
		halve(l);
	}
}

void levels_widen(struct levels *l, unsigned int shift)
{
	while (l->shift < shift) {
		halve(l);
	}
}

/*
 * Returns the time since the first step. A damaged trace may have times before that, and so far
 * apart that the difference has no sign bit left.
 */
static uint64_t since_base(const struct levels *l, int64_t ns)
{
	return ns > l->base_ns ? (uint64_t)ns - (uint64_t)l->base_ns : 0;
}

static size_t step_of(const struct levels *l, int64_t ns)
{
	return (size_t)(since_base(l, ns) >> l->shift);
}

/* Returns a cell, with those before it; makes the row on first use. */
static struct level_cell *cell_at(struct levels *l, struct level_row *row, size_t step)
{
	if (!row->cells) {
		add_row(l);
		row->cells = xcalloc(l->steps, sizeof(*row->cells));
	}
	for (; row->count <= step; row->count++) {
		row->cells[row->count] = (struct level_cell){ 0 };
	}
	return &row->cells[step];
}

static void count(struct levels *l, struct level_row *row, int64_t ns, struct level_cell what)
{
	if (!row->cells) {
		cell_at(l, row, 0); /* it may widen the steps */
	}
	cell_merge(cell_at(l, row, step_of(l, ns)), &what);
}

/* Covers the time of a slice. */
static void cover(
	struct levels *l, struct level_row *row, const struct level_open *slice, int64_t end_ns)
{
	uint64_t at = since_base(l, slice->begin_ns);
	uint64_t end = since_base(l, end_ns);

	cell_at(l, row, 0);
	while (at < end) {
		uint64_t width = UINT64_C(1) << l->shift;
		uint64_t left = width - (at & (width - 1)); /* of the step */
		uint64_t part = left < end - at ? left : end - at;

		cell_cover(cell_at(l, row, (size_t)(at >> l->shift)), slice->name, part);
		at += part;
	}
}

void levels_add_cells(struct levels *l, struct level_row *row, const struct level_cells *from)
{
	cell_at(l, row, 0); /* it may widen the steps */
	unsigned int coarser = l->shift - from->shift;

	cell_at(l, row, (from->first + from->count - 1) >> coarser);
	for (size_t i = 0; i < from->count; i++) {
		const struct level_cell *cell = &from->cells[i];

		if (cell->name || cell->count) {
			cell_merge(&row->cells[(from->first + i) >> coarser], cell);
		}
	}
}

/* ---- Checkpoints ---- */

static void drop(struct levels *l, struct level_checkpoint *c)
{
	l->scopes -= c->count;
	free(c->scopes);
}

/* Drops every other checkpoint. */
static void thin_out(struct levels *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->checkpoints.count; i++) {
		if (i % 2 == 0) {
			l->checkpoints.items[kept++] = l->checkpoints.items[i];
		} else {
			drop(l, &l->checkpoints.items[i]);
		}
	}
	l->checkpoints.count = kept;
	l->spacing *= 2;
}

/* Notes the scopes of a thread that have slices. */
static void note_slices(struct levels *l, struct level_checkpoint *c, size_t thread)
{
	const struct timeline_thread *t = &l->timeline.threads.items[thread];
	const struct timeline_process *p = timeline_process_of(&l->timeline, t);

	vec_foreach (const struct timeline_slice *, slice, &t->open) {
		const struct key key = { p->trace, p->pid, t->tid, slice->name, slice->scope };
		const struct scope_span *span = pairs_find(&l->timeline.pairs, &key);

		if (span) {
			c->scopes[c->count++] = (struct level_scope){
				.key = key,
				.class = (uint32_t)slice->class->index,
				.is_doubtful = slice->is_doubtful,
				.begin_ns = (int64_t)span->begin_ns,
			};
		}
	}
}

/* Notes a scope that has no slice of a thread. */
static void note_scope(void *checkpoint, const struct scope_span *span)
{
	struct level_checkpoint *c = checkpoint;
	bool is_of_thread = span->place == PAIRS_STACKED;

	if (!is_of_thread || span->part == TIMELINE_DROPPED) {
		c->scopes[c->count++] = (struct level_scope){
			.key = span->key,
			.class = (uint32_t)span->class->index,
			.is_dropped = is_of_thread,
			.begin_ns = (int64_t)span->begin_ns,
		};
	}
}

/* The numbers of a thread's scopes increase. */
static int by_begin(const void *a, const void *b)
{
	const struct level_scope *x = a;
	const struct level_scope *y = b;

	if (x->begin_ns != y->begin_ns) {
		return x->begin_ns < y->begin_ns ? -1 : 1;
	}
	return (x->key.scope > y->key.scope) - (x->key.scope < y->key.scope);
}

void levels_check(struct levels *l, const struct level_point *point)
{
	if (point->records < l->next) {
		return;
	}
	size_t open = pairs_open(&l->timeline.pairs);
	struct level_checkpoint c = { .ns = point->ns };

	c.scopes = xcalloc(open + point->count + 1, sizeof(*c.scopes));
	for (size_t i = 0; i < l->timeline.threads.count; i++) {
		note_slices(l, &c, i);
	}
	pairs_unfinished(&l->timeline.pairs, note_scope, &c);
	for (size_t i = 0; i < point->count; i++) {
		c.scopes[c.count++] = point->more[i];
	}
	qsort(c.scopes, c.count, sizeof(*c.scopes), by_begin);
	vec_push(&l->checkpoints, c);
	l->scopes += c.count;
	while (l->scopes > SCOPES_MAX && l->checkpoints.count > 1) {
		thin_out(l);
	}
	l->next = point->records + l->spacing;
}

const struct level_checkpoint *levels_checkpoint(const struct levels *l, int64_t ns)
{
	const struct level_checkpoint *found = NULL;
	size_t begin = 0;
	size_t end = l->checkpoints.count;

	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;

		if (l->checkpoints.items[middle].ns <= ns) {
			found = &l->checkpoints.items[middle];
			begin = middle + 1;
		} else {
			end = middle;
		}
	}
	return found;
}

/* ---- The style ---- */

static void add_thread(void *levels, const struct timeline_thread *thread)
{
	struct levels *l = levels;

	vec_push(&l->of_threads, (uint32_t)l->tracks.count);
	vec_push(&l->tracks,
		((struct level_track){ .process = thread->process, .tid = thread->tid }));
}

/* The key of a lane of a name; the number of them has this one. */
#define COUNT UINT32_MAX

static struct key lane_key(const struct timeline_process *process, uint32_t name, uint32_t number)
{
	return (struct key){
		.trace = process->trace, .pid = process->pid, .tid = number, .name = name
	};
}

void levels_add_lane(struct levels *l, uint32_t process, uint32_t name)
{
	const struct timeline_process *p = &l->timeline.processes.items[process];
	const struct key count = lane_key(p, name, COUNT);
	uint32_t known = keys_get(&l->by_lane, &count);
	uint32_t number = known == KEYS_NONE ? 0 : known;
	const struct key key = lane_key(p, name, number);

	keys_swap(&l->by_lane, &count, number + 1);
	keys_swap(&l->by_lane, &key, (uint32_t)l->tracks.count);
	vec_push(&l->tracks, ((struct level_track){ .process = process,
				     .is_lane = true,
				     .is_more = number == LEVELS_LANES_MAX - 1,
				     .name = l->timeline.pairs.names.items[name] }));
}

static void add_lane(void *levels, const struct timeline_lane *lane)
{
	struct levels *l = levels;
	const struct timeline_process *p = &l->timeline.processes.items[lane->process];
	const struct key last = lane_key(p, lane->name, LEVELS_LANES_MAX - 1);

	if (lane->number < LEVELS_LANES_MAX) {
		vec_push(&l->of_lanes, (uint32_t)l->tracks.count);
		levels_add_lane(l, lane->process, lane->name);
	} else {
		uint32_t track = keys_get(&l->by_lane, &last);

		vec_push(&l->of_lanes, track);
	}
}

static struct level_track *track_of(struct levels *l, const struct timeline_event *e)
{
	if (e->lane) {
		size_t lane = (size_t)(e->lane - l->timeline.lanes.items);

		return &l->tracks.items[l->of_lanes.items[lane]];
	}
	return &l->tracks.items[l->of_threads.items[e->thread->index]];
}

struct level_row *level_row_at(struct level_track *t, size_t depth)
{
	while (t->slices.count <= depth && t->slices.count < LEVELS_DEPTH_MAX) {
		vec_push(&t->slices, ((struct level_row){ 0 }));
	}
	return &t->slices.items[depth < LEVELS_DEPTH_MAX ? depth : LEVELS_DEPTH_MAX - 1];
}

static void begin_slice(struct levels *l, struct level_track *t, const struct timeline_event *e)
{
	struct level_open open = { (int64_t)e->ns, (uint32_t)e->class->index + 1 };
	struct level_cell one = { .count = !e->is_continued, .name = open.name };

	count(l, level_row_at(t, t->open.count), (int64_t)e->ns, one);
	vec_push(&t->open, open);
}

static void end_slice(struct levels *l, struct level_track *t, int64_t ns)
{
	if (t->open.count > 0) {
		struct level_open open = t->open.items[--t->open.count];

		cover(l, level_row_at(t, t->open.count), &open, ns);
	}
}

/* Slices of a lane have no depth, and may overlap in the track of several lanes. */
static void begin_in_lane(struct levels *l, struct level_track *t, const struct timeline_event *e)
{
	struct level_cell one = { .count = !e->is_continued,
		.name = (uint32_t)e->class->index + 1 };

	count(l, level_row_at(t, 0), (int64_t)e->ns, one);
}

static void add_event(void *levels, const struct timeline_event *e)
{
	struct levels *l = levels;
	struct level_track *t = track_of(l, e);
	struct level_cell one = { .count = 1, .name = (uint32_t)e->class->index + 1, .weight = 1 };
	struct level_open open;

	switch (e->kind) {
	case TIMELINE_INSTANT:
		count(l, &t->events, (int64_t)e->ns, one);
		break;
	case TIMELINE_BEGIN:
		begin_slice(l, t, e);
		break;
	case TIMELINE_END:
		end_slice(l, t, (int64_t)e->ns);
		break;
	case TIMELINE_ASYNC_BEGIN:
		begin_in_lane(l, t, e);
		break;
	case TIMELINE_ASYNC_END:
		open = (struct level_open){ (int64_t)e->begin_ns, one.name };
		cover(l, level_row_at(t, 0), &open, (int64_t)e->ns);
		break;
	}
}

static void add_gap(void *levels, const struct timeline_thread *thread, const struct record *rec)
{
	struct levels *l = levels;
	struct level_track *t = &l->tracks.items[l->of_threads.items[thread->index]];
	uint64_t lost = losses_events(&rec->gap);
	uint64_t most = lost < UINT32_MAX ? lost : UINT32_MAX;

	l->lost += lost;
	/* A gap of packets has an unknown number of events. */
	count(l, &t->losses, (int64_t)rec->ns,
		(struct level_cell){ .count = most > 0 ? (uint32_t)most : 1, .weight = 1 });
}

static const struct timeline_style style = {
	.needs_no_values = true,
	.put_thread = add_thread,
	.put_lane = add_lane,
	.put_event = add_event,
	.put_gap = add_gap,
};

/* ---- The pass ---- */

void levels_init(struct levels *l, struct reader *reader)
{
	*l = (struct levels){ .steps = STEPS_MAX, .spacing = SPACING };
	timeline_init(&l->timeline, reader, &l->counters, &style, l);
}

static void track_fini(struct level_track *t)
{
	free(t->events.cells);
	free(t->losses.cells);
	vec_foreach (struct level_row *, row, &t->slices) {
		free(row->cells);
	}
	vec_fini(&t->slices);
	vec_fini(&t->open);
}

void levels_fini(struct levels *l)
{
	vec_foreach (struct level_track *, t, &l->tracks) {
		track_fini(t);
	}
	vec_foreach (struct level_checkpoint *, c, &l->checkpoints) {
		drop(l, c);
	}
	vec_fini(&l->tracks);
	vec_fini(&l->of_threads);
	vec_fini(&l->of_lanes);
	vec_fini(&l->checkpoints);
	keys_fini(&l->by_lane);
	timeline_fini(&l->timeline);
}

void levels_expect(struct levels *l, int64_t base_ns, int64_t last_ns)
{
	l->has_base = true;
	l->base_ns = l->read_ns = l->first_ns = l->last_ns = base_ns;
	while (step_of(l, last_ns) >= l->steps) {
		widen(l);
	}
}

void levels_count_records(struct levels *l, uint64_t records, int64_t first_ns, int64_t last_ns)
{
	if (!l->has_base) {
		levels_expect(l, first_ns, last_ns);
	}
	if (!l->has_records) {
		l->has_records = true;
		l->first_ns = l->last_ns = first_ns;
	}
	l->records += records;
	l->last_ns = last_ns > l->last_ns ? last_ns : l->last_ns;
	l->read_ns = last_ns > l->read_ns ? last_ns : l->read_ns;
	while (step_of(l, last_ns) >= l->steps) {
		widen(l);
	}
}

void levels_add(struct levels *l, const struct record *records, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int64_t ns = (int64_t)records[i].ns;

		/* Records of the same time stay together. */
		if (!l->has_records || ns > l->last_ns) {
			levels_check(l, &(struct level_point){ .ns = ns, .records = l->records });
		}
		levels_count_records(l, 1, ns, ns);
		timeline_add(&l->timeline, &records[i]);
	}
}

static void cover_open(void *levels, const struct scope_span *span)
{
	struct levels *l = levels;

	if (span->place == PAIRS_ANYWHERE) {
		const struct level_open open = { (int64_t)span->begin_ns,
			(uint32_t)span->class->index + 1 };
		struct level_track *t = &l->tracks.items[l->of_lanes.items[span->mark]];

		cover(l, level_row_at(t, 0), &open, l->last_ns);
	}
}

void levels_end(struct levels *l)
{
	pairs_unfinished(&l->timeline.pairs, cover_open, l);
	vec_foreach (struct level_track *, t, &l->tracks) {
		while (t->open.count > 0) {
			end_slice(l, t, l->last_ns);
		}
	}
}

/* ---- Tracks ---- */

uint32_t levels_thread(const struct levels *l, uint32_t trace, uint32_t pid, uint32_t tid)
{
	uint32_t index = timeline_find_thread(&l->timeline, trace, pid, tid);

	return index < l->of_threads.count ? l->of_threads.items[index] : LEVELS_NONE;
}

uint32_t levels_lane(const struct levels *l, const struct timeline_process *process,
	const char *name, size_t number)
{
	uintptr_t known = (uintptr_t)hash_get(&l->timeline.pairs.names.numbers, name);
	size_t last = LEVELS_LANES_MAX - 1;
	const struct key key =
		lane_key(process, (uint32_t)known - 1, (uint32_t)(number < last ? number : last));

	return known ? keys_get(&l->by_lane, &key) : LEVELS_NONE;
}

/* ---- Views ---- */

unsigned int levels_shift(const struct levels *l, int64_t from_ns, int64_t to_ns, size_t columns)
{
	unsigned int shift = l->shift;

	while ((((uint64_t)to_ns - (uint64_t)from_ns) >> shift) + 2 > columns) {
		shift++;
	}
	return shift;
}

void levels_view(const struct levels *l, const struct level_row *row, struct level_view *view)
{
	unsigned int coarser = view->shift - l->shift;
	size_t first = step_of(l, view->from_ns) >> coarser << coarser;

	view->from_ns = (int64_t)((uint64_t)l->base_ns + ((uint64_t)first << l->shift));
	for (size_t i = 0; i < view->count; i++) {
		view->cells[i] = (struct level_cell){ 0 };
		for (size_t n = 0; n < (size_t)1 << coarser; n++) {
			size_t step = first + (i << coarser) + n;

			if (step >= row->count) {
				break;
			}
			cell_merge(&view->cells[i], &row->cells[step]);
		}
	}
}

static uint64_t count_row(
	const struct levels *l, const struct level_row *row, int64_t from_ns, int64_t to_ns)
{
	uint64_t sum = 0;

	for (size_t i = step_of(l, from_ns); i < row->count && i <= step_of(l, to_ns); i++) {
		sum += row->cells[i].count;
	}
	return sum;
}

uint64_t levels_count(const struct levels *l, int64_t from_ns, int64_t to_ns)
{
	uint64_t sum = 0;

	vec_foreach (const struct level_track *, t, &l->tracks) {
		sum += count_row(l, &t->events, from_ns, to_ns);
		vec_foreach (const struct level_row *, row, &t->slices) {
			sum += 2 * count_row(l, row, from_ns, to_ns);
		}
	}
	return sum;
}
