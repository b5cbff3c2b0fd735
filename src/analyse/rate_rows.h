/* SPDX-License-Identifier: MIT */
/*
 * Rows of the counts of rates.h: by event, thread or category, filtered, sorted, and with the parts
 * of chosen rows below them. One thread.
 */
#ifndef ANALYSE_RATE_ROWS_H
#define ANALYSE_RATE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyse/rates.h"
#include "read/filter.h"

/* RATES_BY_VALUE only for parts of an event. */
enum rates_by { RATES_BY_EVENT, RATES_BY_THREAD, RATES_BY_CATEGORY, RATES_BY_VALUE };

/* Rows of an event's values: the first ones in the chosen order; the others share one row. */
#define RATES_VALUES_SHOWN 20u

/* Each from the largest value on, but names from A on. Equal ones: by name. */
enum rates_order {
	RATES_ORDER_RATE,
	RATES_ORDER_EVENTS,
	RATES_ORDER_LOST,
	RATES_ORDER_P99,
	RATES_ORDER_NAME,
};

struct rates_latency {
	uint64_t count;
	uint64_t p50;
	uint64_t p99;
	uint64_t max;
};

/* What a row is about, to find it again in the next window. */
struct rates_row_key {
	enum rates_by by;
	uint32_t pid; /* of a thread */
	uint32_t tid;
	uint32_t name; /* of rates.names, or of rates.categories */
	uint32_t value; /* of the event's values; RATES_NONE: the others */
};

struct rates_row {
	struct rates_row_key key;
	const char *name; /* of an event or category; a value; NULL: a thread, other values */
	const char *field; /* of a value; else NULL */
	bool is_part; /* of the row above that is no part */
	bool is_elsewhere; /* set by the caller: numbers of threads are a container's */
	uint64_t events;
	uint64_t window;
	double rate; /* events a second in the window */
	struct losses losses;
	uint64_t window_lost;
	struct rates_latency all;
	struct rates_latency last; /* in the window */
};

struct rates_view {
	enum rates_by by;
	enum rates_order order;
	const struct name_pattern *filter; /* events that count; NULL: all */
	VEC(struct rates_row_key) expanded; /* see rates_view_toggle() */
	bool has_values; /* show the values of all events */
};

struct rates_rows {
	VEC(struct rates_row) all;
	VEC(char *) texts; /* of the values */
};

/* Makes the rows of the last complete window. The names live as long as `r`. */
void rates_rows_make(struct rates_rows *rows, const struct rates *r, const struct rates_view *view);
void rates_rows_fini(struct rates_rows *rows);

/*
 * Expands a row, or hides its parts again. A key of RATES_BY_VALUE, with the event's name, is about
 * the event's values.
 */
void rates_view_toggle(struct rates_view *view, const struct rates_row_key *key);
bool rates_row_is(const struct rates_row_key *a, const struct rates_row_key *b);

#endif
