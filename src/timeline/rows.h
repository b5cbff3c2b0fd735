/* SPDX-License-Identifier: MIT */
/*
 * Rows of a section: like those of the levels, but only the steps of the section's time. Inlined
 * into the pass, which adds to a cell or two for each record.
 */
#ifndef TIMELINE_ROWS_H
#define TIMELINE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "timeline/levels.h"

/* Its steps, by the section's own numbers. */
struct section_row {
	struct level_cell *cells;
	size_t capacity;
	size_t first; /* of the cells in use */
	size_t end; /* 0: none is in use */
	bool is_shared; /* the levels have it in a row with others */
};

/* The steps of all rows of a section. */
struct section_steps {
	int64_t base_ns; /* as of the levels */
	unsigned int shift; /* a step has 1 << shift ns */
	size_t first; /* number of the first step in the levels */
	size_t count;
	size_t of_levels; /* steps of a row of the levels that are as wide */
	size_t rows; /* in use, that the levels have too */
	size_t bytes; /* of all rows */
	bool is_odd; /* the section cannot be joined */
};

/* A slice, or the part of one before or after a cut. */
struct section_slice {
	int64_t begin_ns;
	uint32_t class;
	bool is_continued; /* it was counted where its first part began */
};

/* Begins a section; false if its rows should be freed, as they have become too large. */
bool section_steps_begin(
	struct section_steps *s, const struct levels *l, int64_t from_ns, int64_t until_ns);

/* True if the levels, with as many rows, would double the width of their steps. */
static inline bool section_is_full(const struct section_steps *s)
{
	return s->rows * s->of_levels * sizeof(struct level_cell) > LEVELS_ROW_BYTES &&
	       s->of_levels > LEVELS_STEPS_MIN;
}

/* True if the rows take more memory than those of the levels may: more of them are shared. */
static inline bool section_is_large(const struct section_steps *s)
{
	return s->bytes > LEVELS_ROW_BYTES + LEVELS_ROW_BYTES / 4;
}

/* Makes the steps twice as wide, then all rows: by the steps before and after it. */
void section_steps_widen(struct section_steps *s);
void section_row_widen(
	struct section_steps *s, const struct section_steps *before, struct section_row *row);

/* Makes the cells of a row. */
void section_row_make(struct section_steps *s, struct section_row *row);

void section_row_clear(struct section_row *row);
void section_row_free(struct section_row *row);

/* Adds a row of a joined section. */
void section_row_join(const struct section_steps *s, const struct section_row *row,
	struct levels *l, struct level_row *to);

/* Returns the cell of a step; NULL, and the section is odd, if it has none. */
static inline struct level_cell *section_cell(
	struct section_steps *s, struct section_row *row, size_t step)
{
	if (UNLIKELY(step >= s->count)) {
		s->is_odd = true;
		return NULL;
	}
	if (UNLIKELY(row->capacity < s->count || row->end == 0)) {
		section_row_make(s, row);
		row->first = step;
	}
	row->first = step < row->first ? step : row->first;
	row->end = step >= row->end ? step + 1 : row->end;
	return &row->cells[step];
}

/* Returns the time since the first step; times of a damaged trace may be far apart. */
static inline uint64_t section_since(const struct section_steps *s, int64_t ns)
{
	return ns > s->base_ns ? (uint64_t)ns - (uint64_t)s->base_ns : 0;
}

/* Returns the step of a time; a large number if that is before the section. */
static inline size_t section_step(const struct section_steps *s, int64_t ns)
{
	return (size_t)(section_since(s, ns) >> s->shift) - s->first;
}

/* Counts a slice, and covers its time. */
static inline void section_cover(struct section_steps *s, struct section_row *row,
	const struct section_slice *slice, int64_t end_ns)
{
	uint64_t width = UINT64_C(1) << s->shift;
	uint64_t at = section_since(s, slice->begin_ns);
	uint64_t end = section_since(s, end_ns);
	size_t step = (size_t)(at >> s->shift) - s->first;
	struct level_cell *cell = section_cell(s, row, step);

	if (UNLIKELY(!cell)) {
		return;
	}
	cell->count += !slice->is_continued;
	cell_vote(cell, slice->class + 1, 0);
	while (at < end) {
		uint64_t left = width - (at & (width - 1)); /* of the step */
		uint64_t part = left < end - at ? left : end - at;

		cell = section_cell(s, row, step++);
		if (UNLIKELY(!cell)) {
			return;
		}
		cell_cover(cell, slice->class + 1, part);
		at += part;
	}
}

#endif
