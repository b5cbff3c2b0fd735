/* SPDX-License-Identifier: MIT */
/*
 * Tiles. From far, a step of the levels is an item; steps that are wholly covered by the slice
 * before them become one item with it. From near, items that are narrower than a column are joined
 * with their neighbours in that column.
 */
#include "timeline/tile.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void tile_fini(struct tile *t)
{
	vec_foreach (struct tile_row *, row, &t->rows) {
		vec_fini(&row->items);
	}
	vec_fini(&t->rows);
}

/* Times of a damaged trace may be so far apart that these numbers need all bits. */
static uint64_t time_between(int64_t from_ns, int64_t to_ns)
{
	return (uint64_t)to_ns - (uint64_t)from_ns;
}

static int64_t time_after(int64_t ns, uint64_t more_ns)
{
	int64_t after;

	return __builtin_add_overflow(ns, more_ns, &after) ? INT64_MAX : after;
}

/* ---- From far ---- */

/* True if the cell goes on with the slice of the item before it, and has nothing else. */
static bool goes_on(const struct tile_item *last, const struct level_cell *cell, int64_t begin_ns,
	uint64_t width)
{
	return last && last->end_ns == begin_ns && cell->count == 0 && cell->name == last->name &&
	       cell->covered >= width;
}

static void add_cells(struct tile *t, struct tile_row *row, const struct level_view *view)
{
	uint64_t width = UINT64_C(1) << view->shift;

	for (size_t i = 0; i < view->count; i++) {
		const struct level_cell *cell = &view->cells[i];
		int64_t begin_ns = time_after(view->from_ns, i * width);
		size_t count = row->items.count;
		struct tile_item *last = count ? &row->items.items[count - 1] : NULL;

		if (goes_on(last, cell, begin_ns, width)) {
			last->end_ns = time_after(last->end_ns, width);
			last->covered += width;
		} else if (cell->count > 0 || cell->covered > 0) {
			const struct tile_item item = {
				.begin_ns = begin_ns,
				.end_ns = time_after(begin_ns, width),
				/* Slices of several lanes may overlap. */
				.covered = cell->covered < width ? cell->covered : width,
				.count = cell->count,
				.name = cell->name,
			};

			vec_push(&row->items, item);
			t->items++;
		}
	}
}

/* Adds a row of the levels, unless it has nothing in the time. */
static void add_row(struct tile *t, const struct levels *l, const struct level_row *from,
	struct tile_row row, struct level_view view)
{
	levels_view(l, from, &view);
	add_cells(t, &row, &view);
	if (row.items.count > 0) {
		vec_push(&t->rows, row);
	}
}

static void add_track(
	struct tile *t, const struct levels *l, uint32_t index, const struct level_view *view)
{
	const struct level_track *track = &l->tracks.items[index];

	add_row(t, l, &track->losses, (struct tile_row){ .kind = NEAR_LOSS, .track = index },
		*view);
	add_row(t, l, &track->events, (struct tile_row){ .kind = NEAR_EVENT, .track = index },
		*view);
	for (size_t i = 0; i < track->slices.count; i++) {
		const struct tile_row row = {
			.kind = NEAR_SLICE, .track = index, .depth = (uint32_t)i
		};

		add_row(t, l, &track->slices.items[i], row, *view);
	}
}

void tile_from_levels(struct tile *t, const struct levels *l, const struct tile_wish *wish)
{
	struct level_view view = {
		.from_ns = wish->from_ns,
		.shift = levels_shift(l, wish->from_ns, wish->to_ns, wish->columns + 2),
	};

	*t = (struct tile){ .columns = wish->columns };
	/* The first step may begin before the time. */
	view.count = (size_t)(time_between(wish->from_ns, wish->to_ns) >> view.shift) + 2;
	view.cells = xcalloc(view.count, sizeof(*view.cells));
	for (size_t i = 0; i < wish->track_count; i++) {
		if (wish->tracks[i] < l->tracks.count) {
			add_track(t, l, wish->tracks[i], &view);
		}
	}
	free(view.cells);
}

/* ---- From near ---- */

static int by_row(const void *a, const void *b)
{
	const struct near_item *x = a;
	const struct near_item *y = b;

	if (x->track != y->track) {
		return x->track < y->track ? -1 : 1;
	}
	if (x->kind != y->kind) {
		return x->kind < y->kind ? -1 : 1;
	}
	if (x->depth != y->depth) {
		return x->depth < y->depth ? -1 : 1;
	}
	return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static bool is_wanted(const struct tile_wish *wish, uint32_t track)
{
	for (size_t i = 0; i < wish->track_count; i++) {
		if (wish->tracks[i] == track) {
			return true;
		}
	}
	return false;
}

static struct tile_item item_of(const struct near_item *from, const struct tile_wish *wish)
{
	int64_t end = from->end_ns == NEAR_OPEN ? wish->to_ns : from->end_ns;
	bool is_loss = from->kind == NEAR_LOSS;
	bool begins = !from->is_continued && from->begin_ns >= wish->from_ns;
	uint32_t lost = from->lost < UINT32_MAX ? (uint32_t)from->lost : UINT32_MAX;

	return (struct tile_item){
		.begin_ns = from->begin_ns,
		.end_ns = from->end_ns,
		.covered = end > from->begin_ns ? time_between(from->begin_ns, end) : 0,
		.offset = from->offset,
		.count = is_loss ? (lost > 0 ? lost : 1) : begins,
		.name = from->name,
		.trace = from->trace,
	};
}

/* Joins an item with the last one of its row if both fit into one column. */
static bool join(struct tile_row *row, const struct tile_item *item, uint64_t width)
{
	size_t count = row->items.count;
	struct tile_item *last = count ? &row->items.items[count - 1] : NULL;

	if (!last || item->end_ns == NEAR_OPEN || last->end_ns == NEAR_OPEN ||
		time_between(last->begin_ns, item->end_ns) >= width) {
		return false;
	}
	if (last->covered < item->covered) {
		last->name = item->name;
	}
	last->end_ns = item->end_ns > last->end_ns ? item->end_ns : last->end_ns;
	last->covered += item->covered;
	last->count += item->count;
	last->offset = 0;
	return true;
}

/* Returns the row of an item: the last one, or a new one. */
static struct tile_row *row_of(struct tile *t, const struct near_item *item)
{
	struct tile_row *last = t->rows.count ? &t->rows.items[t->rows.count - 1] : NULL;

	if (last && last->track == item->track && last->kind == item->kind &&
		last->depth == item->depth) {
		return last;
	}
	vec_push(&t->rows,
		((struct tile_row){
			.kind = item->kind, .track = item->track, .depth = item->depth }));
	return &t->rows.items[t->rows.count - 1];
}

void tile_from_near(struct tile *t, struct near *n, const struct tile_wish *wish)
{
	uint64_t width = time_between(wish->from_ns, wish->to_ns) / wish->columns;
	uint32_t track = LEVELS_NONE; /* of the last item */
	bool is_shown = false;

	*t = (struct tile){ .columns = wish->columns };
	if (n->items.count > 0) {
		qsort(n->items.items, n->items.count, sizeof(*n->items.items), by_row);
	}
	vec_foreach (const struct near_item *, from, &n->items) {
		struct tile_item item = item_of(from, wish);

		if (from->track != track) {
			track = from->track;
			is_shown = is_wanted(wish, track);
		}
		if (!is_shown) {
			continue;
		}
		struct tile_row *row = row_of(t, from);

		if (!join(row, &item, width)) {
			vec_push(&row->items, item);
			t->items++;
		}
	}
}
