/* SPDX-License-Identifier: MIT */
/*
 * The rows of a report, found by a key while records are added, then filtered and sorted. A row
 * gets a distribution only with its first span, as many rows have none.
 */
#include "analyse/numbers/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void row_fini(struct report_row *row)
{
	if (row->lengths) {
		distribution_fini(row->lengths);
	}
	if (row->batches) {
		batches_fini(row->batches);
		batches_fini(row->selves);
	}
	free(row->batches);
	free(row->selves);
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
		if (r->has_batches) {
			r->rows.items[index].batches = xcalloc(1, sizeof(struct batches));
			r->rows.items[index].selves = xcalloc(1, sizeof(struct batches));
		}
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
	if (row->batches) {
		batches_add(row->batches, ns);
	}
}

uint64_t report_rank(const struct report_row *row, enum report_order order)
{
	static const struct distribution none;
	const struct distribution *d = row->lengths ? row->lengths : &none;

	switch (order) {
	case REPORT_TOTAL:
		return d->sum;
	case REPORT_COUNT:
		return d->count;
	case REPORT_AVERAGE:
		return distribution_average(d);
	case REPORT_MAX:
		return d->max;
	case REPORT_SELF:
		break;
	}
	return row->self_ns;
}

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* Sorts equal ranks by name, so that reports of one trace are always the same. */
static int compare(const void *a, const void *b, void *order_by)
{
	const struct report_row *x = a;
	const struct report_row *y = b;
	uint64_t first = report_rank(x, *(const enum report_order *)order_by);
	uint64_t second = report_rank(y, *(const enum report_order *)order_by);
	int order = compare_texts(x->name, y->name);

	if (first != second) {
		return first < second ? 1 : -1;
	}
	order = order ? order : compare_texts(x->to, y->to);
	return order ? order : compare_texts(x->group, y->group);
}

void report_end(struct report *r, enum report_order order)
{
	vec_foreach (const struct report_row *, row, &r->rows) {
		r->unpaired.unfinished += row->unpaired.unfinished;
		r->unpaired.end_lost += row->unpaired.end_lost;
		r->unpaired.unbegun += row->unpaired.unbegun;
		r->unpaired.begin_lost += row->unpaired.begin_lost;
		r->unpaired.begun_twice += row->unpaired.begun_twice;
		r->unpaired.events_lost += row->unpaired.events_lost;
	}
	if (r->rows.count > 0) {
		qsort_r(r->rows.items, r->rows.count, sizeof(*r->rows.items), compare, &order);
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
