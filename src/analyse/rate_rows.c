/* SPDX-License-Identifier: MIT */
/*
 * Adds up cells in rows. A row of events has threads as its parts; rows of threads and categories
 * have events. Values of an event's field are its parts, too. Losses belong to threads only,
 * because lost events have no names.
 */
#include "analyse/rate_rows.h"

#include <string.h>

/* The row that a cell belongs to, and what its parts are. */
static const enum rates_by parts_of[] = {
	[RATES_BY_EVENT] = RATES_BY_THREAD,
	[RATES_BY_THREAD] = RATES_BY_EVENT,
	[RATES_BY_CATEGORY] = RATES_BY_EVENT,
};

struct lengths {
	struct distribution all;
	struct distribution last;
};

struct group {
	const struct rates *rates;
	const struct rates_view *view;
	struct keys index; /* rows by key */
	VEC(struct rates_row) rows;
	VEC(struct lengths) lengths; /* of the rows */
};

bool rates_row_is(const struct rates_row_key *a, const struct rates_row_key *b)
{
	return a->by == b->by && a->pid == b->pid && a->tid == b->tid && a->name == b->name &&
	       a->value == b->value;
}

void rates_view_toggle(struct rates_view *view, const struct rates_row_key *key)
{
	for (size_t i = 0; i < view->expanded.count; i++) {
		if (rates_row_is(&view->expanded.items[i], key)) {
			view->expanded.items[i] = view->expanded.items[--view->expanded.count];
			return;
		}
	}
	vec_push(&view->expanded, *key);
}

/* Returns the row's key; false if the cell belongs to none. */
static bool key_of(const struct rates *r, const struct rates_cell *c, enum rates_by by,
	struct rates_row_key *key)
{
	*key = (struct rates_row_key){ .by = by };
	if (by == RATES_BY_THREAD) {
		key->pid = c->pid;
		key->tid = c->tid;
		return true;
	}
	if (c->name == RATES_NONE) {
		return false;
	}
	key->name = by == RATES_BY_EVENT ? c->name : r->names.items[c->name].category;
	return true;
}

static const char *name_of(const struct rates *r, const struct rates_row_key *key)
{
	switch (key->by) {
	case RATES_BY_EVENT:
		return r->names.items[key->name].text;
	case RATES_BY_CATEGORY:
		return r->categories.items[key->name];
	case RATES_BY_THREAD:
	case RATES_BY_VALUE:
		break;
	}
	return NULL;
}

static size_t find_row(struct group *g, const struct rates_row_key *key)
{
	const struct key k = { .pid = key->pid, .tid = key->tid, .name = key->name };
	uint32_t index = keys_get(&g->index, &k);

	if (index == KEYS_NONE) {
		index = (uint32_t)g->rows.count;
		vec_push(&g->rows,
			((struct rates_row){ .key = *key, .name = name_of(g->rates, key) }));
		vec_push(&g->lengths, ((struct lengths){ 0 }));
		keys_swap(&g->index, &k, index);
	}
	return index;
}

static void add_cell(struct group *g, const struct rates_cell *c, size_t index)
{
	struct rates_row *row = &g->rows.items[index];
	struct lengths *lengths = &g->lengths.items[index];

	row->events += c->events;
	row->window += c->window;
	row->window_lost += c->window_lost;
	losses_add(&row->losses, &c->losses);
	if (c->lengths) {
		distribution_merge(&lengths->all, &c->lengths->all);
		distribution_merge(&lengths->last, &c->lengths->window);
	}
}

static struct rates_latency latency_of(const struct distribution *d)
{
	return (struct rates_latency){
		.count = d->count,
		.p50 = distribution_percentile(d, (struct distribution_share){ 50, 100 }),
		.p99 = distribution_percentile(d, (struct distribution_share){ 99, 100 }),
		.max = d->max,
	};
}

static bool is_counted(const struct group *g, const struct rates_cell *c)
{
	const struct name_pattern *filter = g->view->filter;

	return !filter || c->name == RATES_NONE ||
	       name_pattern_meets(filter, g->rates->names.items[c->name].text);
}

/* Adds up the cells in rows; with `within`, only cells of that row. */
static void collect(struct group *g, enum rates_by by, const struct rates_row_key *within)
{
	struct rates_row_key key;

	vec_foreach (const struct rates_cell *, c, &g->rates->cells) {
		bool is_within = !within || (key_of(g->rates, c, within->by, &key) &&
						    rates_row_is(&key, within));

		if (is_within && is_counted(g, c) && key_of(g->rates, c, by, &key)) {
			add_cell(g, c, find_row(g, &key));
		}
	}
	for (size_t i = 0; i < g->rows.count; i++) {
		struct rates_row *row = &g->rows.items[i];

		row->is_part = within;
		row->rate = rates_per_second(g->rates, row->window);
		row->all = latency_of(&g->lengths.items[i].all);
		row->last = latency_of(&g->lengths.items[i].last);
	}
}

static void group_fini(struct group *g)
{
	vec_foreach (struct lengths *, l, &g->lengths) {
		distribution_fini(&l->all);
		distribution_fini(&l->last);
	}
	vec_fini(&g->lengths);
	vec_fini(&g->rows);
	keys_fini(&g->index);
}

/* ---- Order ---- */

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_name(const void *va, const void *vb)
{
	const struct rates_row *a = va;
	const struct rates_row *b = vb;
	int order = a->name && b->name ? strcmp(a->name, b->name) : 0;

	order = order ? order : compare(a->key.pid, b->key.pid);
	return order ? order : compare(a->key.tid, b->key.tid);
}

/* Compares from the largest on; `a` and `b` are numbers of the rows. */
static int largest(const void *va, const void *vb, uint64_t a, uint64_t b)
{
	return a == b ? by_name(va, vb) : compare(b, a);
}

static int by_events(const void *va, const void *vb)
{
	const struct rates_row *a = va;
	const struct rates_row *b = vb;

	return largest(va, vb, a->events, b->events);
}

static int by_rate(const void *a, const void *b)
{
	uint64_t x = ((const struct rates_row *)a)->window;
	uint64_t y = ((const struct rates_row *)b)->window;

	return x == y ? by_events(a, b) : compare(y, x);
}

static int by_lost(const void *a, const void *b)
{
	uint64_t x = losses_events(&((const struct rates_row *)a)->losses);
	uint64_t y = losses_events(&((const struct rates_row *)b)->losses);

	return x == y ? by_rate(a, b) : compare(y, x);
}

/* The window's latency decides; that of a row without one in this window is from before. */
static int by_p99(const void *va, const void *vb)
{
	const struct rates_row *a = va;
	const struct rates_row *b = vb;
	uint64_t x = a->last.count ? a->last.p99 : a->all.p99;
	uint64_t y = b->last.count ? b->last.p99 : b->all.p99;

	return x == y ? by_rate(va, vb) : compare(y, x);
}

static void sort(struct group *g)
{
	static int (*const orders[])(const void *, const void *) = {
		[RATES_ORDER_RATE] = by_rate,
		[RATES_ORDER_EVENTS] = by_events,
		[RATES_ORDER_LOST] = by_lost,
		[RATES_ORDER_P99] = by_p99,
		[RATES_ORDER_NAME] = by_name,
	};

	if (g->rows.count > 0) {
		qsort(g->rows.items, g->rows.count, sizeof(*g->rows.items), orders[g->view->order]);
	}
}

/* ---- Rows ---- */

static bool is_expanded(const struct rates_view *view, const struct rates_row_key *key)
{
	vec_foreach (const struct rates_row_key *, k, &view->expanded) {
		if (rates_row_is(k, key)) {
			return true;
		}
	}
	return false;
}

static bool shows_values(const struct rates_view *view, const struct rates_row_key *key)
{
	const struct rates_row_key values = { .by = RATES_BY_VALUE, .name = key->name };

	return key->by == RATES_BY_EVENT && (view->has_values || is_expanded(view, &values));
}

static struct rates_row value_row(const struct rates *r, const struct rates_row_key *event,
	const struct value_count *value, uint32_t number)
{
	return (struct rates_row){
		.key = { .by = RATES_BY_VALUE, .name = event->name, .value = number },
		.field = r->names.items[event->name].field,
		.name = value->text,
		.is_part = true,
		.events = value->events,
		.window = value->window,
		.rate = rates_per_second(r, value->window),
	};
}

/* Appends the first values of an event, with copies of their texts, and the sum of the others. */
static void append_values(struct rates_rows *rows, struct group *g,
	const struct value_counts *values, const struct rates_row_key *event)
{
	struct value_count others = values->others;

	for (size_t i = 0; i < values->all.count; i++) {
		if (values->all.items[i].text) {
			vec_push(&g->rows,
				value_row(g->rates, event, &values->all.items[i], (uint32_t)i));
		}
	}
	sort(g);
	for (size_t i = 0; i < g->rows.count; i++) {
		struct rates_row *row = &g->rows.items[i];

		if (i < RATES_VALUES_SHOWN) {
			vec_push(&rows->texts, xstrdup(row->name));
			row->name = rows->texts.items[rows->texts.count - 1];
			vec_push(&rows->all, *row);
		} else {
			others.events += row->events;
			others.window += row->window;
		}
	}
	if (others.events > 0) {
		vec_push(&rows->all, value_row(g->rates, event, &others, RATES_NONE));
	}
}

/* Appends the rows of a group, each with its parts if it is expanded. */
static void append(struct rates_rows *rows, const struct rates *r, const struct rates_view *view,
	const struct rates_row_key *within)
{
	struct group g = { .rates = r, .view = view };

	collect(&g, within ? parts_of[within->by] : view->by, within);
	sort(&g);
	vec_foreach (const struct rates_row *, row, &g.rows) {
		vec_push(&rows->all, *row);
		if (!within && is_expanded(view, &row->key)) {
			append(rows, r, view, &row->key);
		}
		const struct value_counts *values =
			shows_values(view, &row->key) ? r->names.items[row->key.name].values : NULL;

		if (!within && values) {
			struct group parts = { .rates = r, .view = view };

			append_values(rows, &parts, values, &row->key);
			group_fini(&parts);
		}
	}
	group_fini(&g);
}

void rates_rows_make(struct rates_rows *rows, const struct rates *r, const struct rates_view *view)
{
	*rows = (struct rates_rows){ 0 };
	append(rows, r, view, NULL);
}

void rates_rows_fini(struct rates_rows *rows)
{
	vec_foreach (char **, text, &rows->texts) {
		free(*text);
	}
	vec_fini(&rows->texts);
	vec_fini(&rows->all);
}
