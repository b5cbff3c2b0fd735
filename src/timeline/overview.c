/* SPDX-License-Identifier: MIT */
/* Sums over the rows of the levels, which have all that the pass has met. */
#include "timeline/overview.h"

/* ---- Tracks ---- */

static void add_row(struct track_sum *sum, const struct levels *l, const struct level_row *row)
{
	bool is_first = true;

	for (size_t i = 0; i < row->count; i++) {
		int64_t ns = (int64_t)((uint64_t)l->first_ns + ((uint64_t)i << l->shift));

		sum->count += row->cells[i].count;
		if (is_first && (row->cells[i].count > 0 || row->cells[i].covered > 0)) {
			sum->first_ns = ns < sum->first_ns ? ns : sum->first_ns;
			is_first = false;
		}
	}
}

struct track_sum overview_track(const struct levels *l, const struct level_track *t)
{
	struct track_sum sum = { .first_ns = l->last_ns };
	uint64_t width = UINT64_C(1) << l->shift;

	add_row(&sum, l, &t->events);
	vec_foreach (const struct level_row *, row, &t->slices) {
		add_row(&sum, l, row);
	}
	for (size_t i = 0; t->slices.count > 0 && i < t->slices.items[0].count; i++) {
		uint64_t covered = t->slices.items[0].cells[i].covered;

		sum.busy_ns += covered < width ? covered : width; /* of several lanes it is more */
	}
	return sum;
}

/* ---- All of the trace ---- */

struct columns {
	struct overview_column *items;
	size_t count;
	uint64_t length; /* of the trace, in ns */
};

/* Returns the column of a step. */
static struct overview_column *column_of(
	const struct columns *c, const struct levels *l, size_t step)
{
	double share = (double)((uint64_t)step << l->shift) / (double)c->length;
	size_t at = (size_t)(share * (double)c->count);

	return &c->items[at < c->count ? at : c->count - 1];
}

static void add_counts(const struct columns *c, const struct levels *l, const struct level_row *row)
{
	for (size_t i = 0; i < row->count; i++) {
		if (row->cells[i].count > 0) {
			column_of(c, l, i)->count += row->cells[i].count;
		}
	}
}

void overview_columns(const struct levels *l, struct overview_column *columns, size_t count)
{
	struct columns c = { columns, count, (uint64_t)l->last_ns - (uint64_t)l->first_ns + 1 };

	for (size_t i = 0; i < count; i++) {
		columns[i] = (struct overview_column){ 0 };
	}
	vec_foreach (const struct level_track *, t, &l->tracks) {
		add_counts(&c, l, &t->events);
		vec_foreach (const struct level_row *, row, &t->slices) {
			add_counts(&c, l, row);
		}
		for (size_t i = 0; i < t->losses.count; i++) {
			column_of(&c, l, i)->lost += t->losses.cells[i].count;
		}
	}
}

/* Returns an upper bound of the records in a step. */
static uint64_t count_step(const struct levels *l, size_t step)
{
	uint64_t sum = 0;

	vec_foreach (const struct level_track *, t, &l->tracks) {
		sum += step < t->events.count ? t->events.cells[step].count : 0;
		vec_foreach (const struct level_row *, row, &t->slices) {
			sum += step < row->count ? 2 * (uint64_t)row->cells[step].count : 0;
		}
	}
	return sum;
}

int64_t overview_until(const struct levels *l, int64_t from_ns, uint64_t records)
{
	uint64_t from = from_ns > l->first_ns ? (uint64_t)from_ns - (uint64_t)l->first_ns : 0;
	size_t last = (size_t)(((uint64_t)l->last_ns - (uint64_t)l->first_ns) >> l->shift);
	size_t step = (size_t)(from >> l->shift);
	uint64_t sum = 0;

	while (step <= last && (sum == 0 || sum < records)) {
		sum += count_step(l, step++);
	}
	return step > last ? INT64_MAX
			   : (int64_t)((uint64_t)l->first_ns + ((uint64_t)step << l->shift));
}
