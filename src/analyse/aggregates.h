/* SPDX-License-Identifier: MIT */
/*
 * Aggregations of traced programs, from their records `waymark:aggregate` (format/own_events.h):
 * the newest value of each map, and over all maps and processes the sum, or the least or greatest
 * value. One thread.
 */
#ifndef ANALYSE_AGGREGATES_H
#define ANALYSE_AGGREGATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "format/own_events.h"
#include "read/reader.h"

/* `sum(bytes)` of an aggregation. */
struct aggregate_function {
	const char *text;
	const char *value; /* `bytes`; "": of count */
	enum aggregate_kind kind;
	bool is_time; /* nanoseconds */
};

/* The values of a bucket: see format/own_events.h. */
struct aggregate_bucket {
	int64_t from;
	int64_t integer; /* unless it is a fraction */
	double fraction; /* in any case */
	bool is_float;
};

/* A function of one key: its buckets, in ascending order. */
struct aggregate_cell {
	VEC(struct aggregate_bucket) buckets;
};

struct aggregate_row {
	const char *key; /* `op=read`; "": there are no keys; or `other` */
	struct aggregate_cell *cells; /* by function; one without values has no buckets */
};

/* `aggregate EVENT FUNCTION, ... TERMS` */
struct aggregate_table {
	const char *event;
	const char *terms; /* `by op if error == 0` */
	VEC(struct aggregate_function) functions; /* `count` first */
	VEC(struct aggregate_row) rows; /* the one with most calls first, `other` last */
	struct hash numbers; /* of rows by key, until they are sorted */
};

struct aggregates {
	VEC(struct aggregate_table *) tables; /* in the order in which they were seen first */
	VEC(struct aggregate_source *) sources; /* values of maps, until they are merged */
	struct hash sources_by_name;
	struct arena texts; /* of these */
	struct arena merged; /* of the tables */
	VEC(char) name; /* of the record that is added */
	bool is_followed; /* each record is newer than those before it; set by the caller */
};

/* Limits a reader to the records that aggregates_add() takes. */
void aggregates_limit(struct reader *reader);

void aggregates_init(struct aggregates *a);
void aggregates_fini(struct aggregates *a);

/* Adds a record, if it is an aggregate. */
void aggregates_add(struct aggregates *a, struct reader *reader, const struct record *rec);

/*
 * Makes the tables anew: merges the maps as they are now. Call it after the last record, or from
 * time to time.
 */
void aggregates_end(struct aggregates *a);

/* Returns the number of values in a cell: of count, avg(), hist() or quantile(). */
uint64_t aggregate_total(const struct aggregate_cell *c, enum aggregate_kind kind);

/*
 * Returns the value that the share `parts` of 1000 of all values of a quantile() do not exceed, to
 * within 3 %; 0 without values.
 */
int64_t aggregate_quantile(const struct aggregate_cell *c, unsigned int parts);

/* Returns the value after the last one of the bucket. INT64_MAX: there is none. */
int64_t aggregate_bucket_end(enum aggregate_kind kind, int64_t from);

/*
 * Takes the next `field=value` off a key. Returns false at its end. `value` gets a copy, without
 * the quotes of a text, of at most `size` bytes with its NUL.
 */
bool aggregate_next_key(
	const char **key, const char **field, size_t *field_length, char *value, size_t size);

#endif
