/* SPDX-License-Identifier: MIT */
/* Memory of a section's rows, which is used again in the next section. */
#include "timeline/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Bytes of a section's rows: with more it is odd. */
#define ROW_BYTES ((size_t)12 << 20)

bool section_steps_begin(
	struct section_steps *s, const struct levels *l, int64_t from_ns, int64_t until_ns)
{
	int64_t end_ns = l->base_ns + (int64_t)((uint64_t)l->steps << l->shift);
	bool is_full = s->bytes > ROW_BYTES / 2;

	*s = (struct section_steps){
		.base_ns = l->base_ns, .shift = l->shift, .bytes = is_full ? 0 : s->bytes
	};
	from_ns = from_ns > l->base_ns ? from_ns : l->base_ns;
	until_ns = until_ns < end_ns ? until_ns : end_ns;
	s->first = section_step(s, from_ns);
	s->count = until_ns > from_ns ? section_step(s, until_ns) + 1 : 1;
	return !is_full;
}

COLD bool section_row_make(struct section_steps *s, struct section_row *row)
{
	if (row->capacity < s->count) {
		s->bytes += (s->count - row->capacity) * sizeof(*row->cells);
		if (s->bytes > ROW_BYTES) {
			s->is_odd = true;
			return false;
		}
		free(row->cells);
		row->cells = xcalloc(s->count, sizeof(*row->cells));
		row->capacity = s->count;
	}
	row->first = row->end = 0;
	return true;
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
