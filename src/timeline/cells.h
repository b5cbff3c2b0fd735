/* SPDX-License-Identifier: MIT */
/*
 * The cells of rows: counts in steps of time. Inlined into the pass, which adds to a cell or two
 * for each record.
 */
#ifndef TIMELINE_CELLS_H
#define TIMELINE_CELLS_H

#include <stdint.h>

/* A step of a row. */
struct level_cell {
	uint32_t count; /* slices or events that begin in it; of losses: lost events */
	uint32_t name; /* index of the class with most of its time, plus 1; 0: empty */
	uint64_t weight; /* by how much, at least, in ns or events */
	uint64_t covered; /* ns in which a slice is open */
};

/* Votes for a name, which wins by what it has more than the others together. */
static inline void cell_vote(struct level_cell *to, uint32_t name, uint64_t weight)
{
	if (to->name == name) {
		to->weight += weight;
	} else if (to->name == 0 || to->weight < weight) {
		to->weight = weight - to->weight;
		to->name = name;
	} else {
		to->weight -= weight;
	}
}

/* Adds to a cell what another one has. */
static inline void cell_merge(struct level_cell *to, const struct level_cell *from)
{
	to->count = to->count + from->count < to->count ? UINT32_MAX : to->count + from->count;
	to->covered += from->covered;
	cell_vote(to, from->name, from->weight);
}

/* Covers the time of a slice in a step. */
static inline void cell_cover(struct level_cell *to, uint32_t name, uint64_t ns)
{
	to->covered += ns;
	cell_vote(to, name, ns);
}

#endif
