/* SPDX-License-Identifier: MIT */
/* See analyse/report.h. */
#include "analyse/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void row_fini(struct report_row *row)
{
	if (row->lengths) {
		distribution_fini(row->lengths);
	}
	free(row->lengths);
	free(row->group);
}

void report_fini(struct report *r)
{
	vec_foreach (struct report_row *, row, &r->rows) {
		row_fini(row);
	}
	vec_fini(&r->rows);
	keys_fini(&r->by_key);
}

struct report_row *report_row(struct report *r, const struct key *key, bool *is_new)
{
	uint32_t index = keys_get(&r->by_key, key);

	*is_new = index == KEYS_NONE;
	if (index == KEYS_NONE) {
		index = (uint32_t)r->rows.count;
		vec_push(&r->rows, ((struct report_row){ 0 }));
		keys_swap(&r->by_key, key, index);
	}
	return &r->rows.items[index];
}

void report_add(struct report_row *row, uint64_t ns)
{
	if (!row->lengths) {
		row->lengths = xcalloc(1, sizeof(*row->lengths));
	}
	distribution_add(row->lengths, ns);
}

static uint64_t total_of(const struct report_row *row)
{
	return row->lengths ? row->lengths->sum : 0;
}

static uint64_t count_of(const struct report_row *row)
{
	return row->lengths ? row->lengths->count : 0;
}

static uint64_t average_of(const struct report_row *row)
{
	return row->lengths ? distribution_average(row->lengths) : 0;
}

static uint64_t max_of(const struct report_row *row)
{
	return row->lengths ? row->lengths->max : 0;
}

static uint64_t self_of(const struct report_row *row)
{
	return row->self_ns;
}

static uint64_t (*const numbers[])(const struct report_row *row) = {
	[REPORT_TOTAL] = total_of,
	[REPORT_COUNT] = count_of,
	[REPORT_AVERAGE] = average_of,
	[REPORT_MAX] = max_of,
	[REPORT_SELF] = self_of,
};

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare(const void *a, const void *b, void *order_by)
{
	const struct report_row *x = a;
	const struct report_row *y = b;
	uint64_t (*const *number)(const struct report_row *row) = order_by;
	uint64_t first = (*number)(x);
	uint64_t second = (*number)(y);
	int order = compare_texts(x->name, y->name);

	if (first != second) {
		return first < second ? 1 : -1;
	}
	order = order ? order : compare_texts(x->to, y->to);
	return order ? order : compare_texts(x->group, y->group);
}

static void add_unpaired(struct unpaired *sum, const struct unpaired *u)
{
	sum->unfinished += u->unfinished;
	sum->end_lost += u->end_lost;
	sum->unbegun += u->unbegun;
	sum->begin_lost += u->begin_lost;
	sum->begun_twice += u->begun_twice;
}

void report_end(struct report *r, enum report_order order)
{
	vec_foreach (const struct report_row *, row, &r->rows) {
		add_unpaired(&r->unpaired, &row->unpaired);
	}
	if (r->rows.count > 0) {
		uint64_t (*number)(const struct report_row *row) = numbers[order];

		qsort_r(r->rows.items, r->rows.count, sizeof(*r->rows.items), compare, &number);
	}
}

void report_keep(
	struct report *r, bool (*is_wanted)(void *data, const struct report_row *row), void *data)
{
	size_t kept = 0;

	vec_foreach (struct report_row *, row, &r->rows) {
		if (is_wanted(data, row)) {
			r->rows.items[kept++] = *row;
		} else {
			row_fini(row);
		}
	}
	r->rows.count = kept;
}
