/* SPDX-License-Identifier: MIT */
/* Rows of steps of equal width, which doubles when a value comes later than the last step. */
#include "timeline/curve.h"

#include <stdlib.h>

#include "base/memory.h"

void curve_init(struct curve *c, int64_t first_ns, unsigned int shift, size_t steps)
{
	*c = (struct curve){ .first_ns = first_ns, .shift = shift, .steps = steps };
}

void curve_fini(struct curve *c)
{
	vec_foreach (struct curve_row *, row, &c->rows) {
		free(row->cells);
	}
	vec_fini(&c->rows);
}

size_t curve_row(struct curve *c, uint32_t trace, uint32_t pid)
{
	for (size_t i = 0; i < c->rows.count; i++) {
		if (c->rows.items[i].trace == trace && c->rows.items[i].pid == pid) {
			return i;
		}
	}
	if (c->rows.count == CURVE_ROWS_MAX) {
		c->left++;
		return SIZE_MAX;
	}
	vec_push(&c->rows, ((struct curve_row){ .trace = trace,
				   .pid = pid,
				   .cells = xcalloc(c->steps, sizeof(struct curve_cell)) }));
	return c->rows.count - 1;
}

void curve_merge(struct curve_cell *to, const struct curve_cell *from)
{
	if (from->count == 0) {
		return;
	}
	if (to->count == 0) {
		*to = *from;
		return;
	}
	to->min = from->min < to->min ? from->min : to->min;
	to->max = from->max > to->max ? from->max : to->max;
	to->last = from->last;
	to->ns = from->ns;
	to->count += from->count;
}

/* Makes each step twice as wide. */
static void widen(struct curve *c)
{
	c->shift++;
	vec_foreach (struct curve_row *, row, &c->rows) {
		for (size_t i = 0; i < row->count; i++) {
			struct curve_cell cell = row->cells[i];

			row->cells[i] = (struct curve_cell){ 0 };
			curve_merge(&row->cells[i / 2], &cell);
		}
		row->count = (row->count + 1) / 2;
	}
}

static size_t step_of(const struct curve *c, int64_t ns)
{
	return ns > c->first_ns ? (size_t)(((uint64_t)ns - (uint64_t)c->first_ns) >> c->shift) : 0;
}

void curve_add(struct curve *c, size_t row, int64_t ns, double value)
{
	const struct curve_cell one = {
		.ns = ns, .min = value, .max = value, .last = value, .count = 1
	};

	while (step_of(c, ns) >= c->steps) {
		widen(c);
	}
	struct curve_row *r = &c->rows.items[row];
	size_t step = step_of(c, ns);

	r->count = step >= r->count ? step + 1 : r->count;
	curve_merge(&r->cells[step], &one);
}

int64_t curve_step_ns(const struct curve *c, int64_t ns)
{
	return (int64_t)((uint64_t)c->first_ns + ((uint64_t)step_of(c, ns) << c->shift));
}

const struct curve_cell *curve_before(const struct curve *c, size_t row, int64_t ns)
{
	const struct curve_row *r = &c->rows.items[row];
	size_t step = step_of(c, ns);

	for (size_t i = step < r->count ? step : r->count; i > 0; i--) {
		if (r->cells[i - 1].count > 0) {
			return &r->cells[i - 1];
		}
	}
	return NULL;
}
