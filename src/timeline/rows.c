/* SPDX-License-Identifier: MIT */
/* Memory of a section's rows, which is used again in the next section. */
#include "timeline/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Bytes of rows that are kept for the next section. */
#define KEPT_BYTES ((size_t)4 << 20)

bool section_steps_begin(
	struct section_steps *s, const struct levels *l, int64_t from_ns, int64_t until_ns)
{
	size_t last;
	bool is_full = s->bytes > KEPT_BYTES;

	*s = (struct section_steps){
		.base_ns = l->base_ns,
		.shift = l->shift,
		.of_levels = l->steps,
		.bytes = is_full ? 0 : s->bytes,
	};
	s->first = section_step(s, from_ns);
	last = (size_t)(section_since(s, until_ns) >> s->shift);
	last = last < l->steps ? last : l->steps - 1; /* the levels have no step after it */
	s->count = last >= s->first ? last - s->first + 1 : 0;
	s->is_odd = s->count == 0;
	return !is_full;
}

void section_steps_widen(struct section_steps *s)
{
	size_t last = (s->first + s->count - 1) / 2;

	s->shift++;
	s->of_levels /= 2;
	s->first /= 2;
	s->count = last - s->first + 1;
}

void section_row_widen(
	struct section_steps *s, const struct section_steps *before, struct section_row *row)
{
	const struct section_row old = *row;

	*row = (struct section_row){ .is_shared = old.is_shared };
	s->bytes -= old.capacity * sizeof(*old.cells);
	if (old.end > 0) {
		section_row_make(s, row);
		s->rows -= !old.is_shared;
		row->first = (before->first + old.first) / 2 - s->first;
		row->end = (before->first + old.end - 1) / 2 - s->first + 1;
	}
	for (size_t i = old.first; i < old.end; i++) {
		cell_merge(&row->cells[(before->first + i) / 2 - s->first], &old.cells[i]);
	}
	free(old.cells);
}

COLD void section_row_make(struct section_steps *s, struct section_row *row)
{
	if (row->capacity < s->count) {
		s->bytes += (s->count - row->capacity) * sizeof(*row->cells);
		free(row->cells);
		row->cells = xcalloc(s->count, sizeof(*row->cells));
		row->capacity = s->count;
	}
	row->first = row->end = 0;
	s->rows += !row->is_shared;
}

void section_row_clear(struct section_row *row)
{
	if (row->end > row->first) {
		memset(row->cells + row->first, 0, (row->end - row->first) * sizeof(*row->cells));
	}
	row->first = row->end = 0;
}

void section_row_free(struct section_row *row)
{
	free(row->cells);
	*row = (struct section_row){ 0 };
}

void section_row_join(const struct section_steps *s, const struct section_row *row,
	struct levels *l, struct level_row *to)
{
	const struct level_cells cells = {
		.cells = row->cells + row->first,
		.count = row->end - row->first,
		.first = s->first + row->first,
		.shift = s->shift,
	};

	if (row->end > 0) {
		levels_add_cells(l, to, &cells);
	}
}
