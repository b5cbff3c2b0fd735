/* SPDX-License-Identifier: MIT */
/*
 * How often events happen, and how long what they begin takes, since the beginning and in a window
 * of time that the caller ends. A cell counts one event of one thread; rate_rows.h makes rows of
 * cells. A latency is the time of a scope, or from `@begin` to `@end` of a declared life with the
 * same key; it belongs to the event that ends it. A key may be used again, so a life has none if
 * events were lost in its time, as far as is known at its end. Values of a field are counted by
 * event, for events of all threads. Needs no clock: times are those of records. One thread.
 */
#ifndef ANALYSE_RATES_H
#define ANALYSE_RATES_H

#include <stdbool.h>
#include <stdint.h>

#include "analyse/numbers/distribution.h"
#include "analyse/match/fields.h"
#include "analyse/match/pairs.h"
#include "analyse/match/tuples.h"
#include "analyse/value_counts.h"
#include "base/hash.h"
#include "base/vec.h"
#include "read/keys.h"
#include "read/reader.h"

/* Limit of the cells; further threads share the cells of thread 0. */
#define RATES_CELLS_MAX (1u << 16)

/* Limit of the open pairs; when it is reached, all are forgotten. */
#define RATES_OPEN_MAX (1u << 20)

#define RATES_NONE UINT32_MAX

struct rates_lengths {
	struct distribution all;
	struct distribution window; /* of the last complete window */
	struct distribution open; /* since then */
};

struct rates_cell {
	uint32_t name; /* RATES_NONE: the cell has the losses of the thread */
	uint32_t pid;
	uint32_t tid;
	uint64_t events;
	uint64_t events_before; /* at the end of the last window */
	uint64_t window; /* events in the last window */
	struct losses losses;
	uint64_t lost_before;
	uint64_t window_lost;
	struct rates_lengths *lengths; /* NULL: none ended here */
};

struct rates_name {
	char *text;
	uint32_t category; /* index of `categories` */
	char *pair; /* the scope or life that the event ends; NULL: none */
	char *field; /* whose values can be counted; NULL: none */
	struct value_counts *values; /* NULL: not counted */
};

struct rates_class;

/* The field for values that rates_count_values() takes if none is named: the declared `@key`. */
#define RATES_PER_KEY "@key"

struct rates {
	/* Set by the caller after rates_init(): */
	const char *per; /* count the values of this field; NULL: of chosen events' keys */
	field_text_fn *value_text; /* formats values; NULL: they are not counted */
	VEC(struct rates_cell) cells;
	VEC(struct rates_name) names;
	struct texts categories; /* the part of a name before ':'; "": without one */
	uint64_t events; /* sums of all cells */
	struct losses losses;
	uint64_t window;
	uint64_t window_lost;
	int64_t from_ns; /* start of the first window */
	int64_t begin_ns; /* start of the last complete window */
	int64_t end_ns; /* end of it, where the next one begins */
	uint64_t skipped_ns; /* time whose events were not added */
	uint64_t skipped_before; /* at the end of the last window */
	uint64_t window_skipped; /* in the last window */
	/* Pairs without a latency: */
	uint64_t broken; /* lives in whose time events were lost, perhaps an end and a begin */
	uint64_t begun_twice; /* begun again before their end */
	uint64_t dropped; /* forgotten, as too many were open */
	/* For rates.c only: */
	struct reader *reader;
	struct hash by_name; /* values: index + 1 */
	struct keys index; /* cells by pid, tid and name + 1 */
	VEC(struct rates_class) classes; /* by class index of the reader */
	struct pairs pairs;
	struct tuples tuples; /* values of open lives that are no integers */
	struct field_bytes bytes;
};

/* Initializes the counts; the first window begins at `ns`. */
void rates_init(struct rates *r, int64_t ns);
void rates_fini(struct rates *r);

/* Takes records of this reader from now on. Pairs that were open before are forgotten. */
void rates_use(struct rates *r, struct reader *reader);

/* Forgets the reader, which can be closed then, and the open pairs; keeps all counts. */
void rates_leave(struct rates *r);

/* Limits a reader to the events of which latencies are made, and gaps. */
void rates_limit(struct reader *reader);

/* Adds a record, in the order of time. */
void rates_add(struct rates *r, const struct record *rec);

/* Counts the values of an event from now on; false if it has no field for that. */
bool rates_count_values(struct rates *r, uint32_t name);

/* Notes that events of so much time are left out: rates are of the rest of the time. */
static inline void rates_skip(struct rates *r, uint64_t ns)
{
	r->skipped_ns += ns;
}

/* Ends the window at `ns`: all records up to that time were added. */
void rates_turn(struct rates *r, int64_t ns);

/* Returns the time that was counted in the last complete window, in seconds; 0 before the first. */
static inline double rates_seconds(const struct rates *r)
{
	return (double)(r->end_ns - r->begin_ns - (int64_t)r->window_skipped) / 1e9;
}

/* Returns how many there are in a second of the last complete window. */
static inline double rates_per_second(const struct rates *r, uint64_t window)
{
	double seconds = rates_seconds(r);

	return seconds > 0 ? (double)window / seconds : 0;
}

#endif
