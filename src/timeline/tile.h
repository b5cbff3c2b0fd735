/* SPDX-License-Identifier: MIT */
/*
 * What a timeline draws of a time: for each track rows of items, which are slices, events, losses,
 * or several of them in one if they are narrower than a column together. Every count of a row is
 * exact: what begins in the time is in one of its items. One thread.
 */
#ifndef TIMELINE_TILE_H
#define TIMELINE_TILE_H

#include "timeline/levels.h"
#include "timeline/near.h"

struct tile_item {
	int64_t begin_ns;
	int64_t end_ns; /* NEAR_OPEN: it goes on after the time */
	uint64_t covered; /* ns in which a slice is open; 0: of events */
	uint64_t offset; /* of the record, if `count` is 1 and it is known; else 0 */
	uint32_t count; /* slices or events that begin in it; 0: a part of a slice */
	uint32_t name; /* index of the class of most of them, plus 1; 0: none */
	uint32_t trace; /* of the record */
};

struct tile_row {
	enum near_kind kind;
	uint32_t track;
	uint32_t depth;
	VEC(struct tile_item) items; /* by time */
};

struct tile {
	VEC(struct tile_row) rows;
	size_t items; /* of all rows */
	size_t columns; /* that were wished */
};

/* What to draw. */
struct tile_wish {
	int64_t from_ns;
	int64_t to_ns;
	size_t columns; /* at least 1 */
	const uint32_t *tracks;
	size_t track_count;
};

/* Makes a tile from the levels alone: items are at least as wide as their steps. */
void tile_from_levels(struct tile *t, const struct levels *l, const struct tile_wish *wish);

/* Makes a tile of what was read. Sorts n->items. */
void tile_from_near(struct tile *t, struct near *n, const struct tile_wish *wish);

void tile_fini(struct tile *t);

#endif
