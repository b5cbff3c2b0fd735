/* SPDX-License-Identifier: MIT */
/*
 * Latencies, the time from one event to another. Two records are a pair if the given fields are
 * equal, and if they are of one process, unless `is_across`. If a pair begins again before its end,
 * the first is counted and dropped. A pair has no latency if events were lost meanwhile, as its end
 * may be of a later begin. Memory is bounded by the pairs open at one time. One thread.
 */
#ifndef ANALYSE_LATENCY_H
#define ANALYSE_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "analyse/match/fields.h"
#include "analyse/match/gaps.h"
#include "analyse/match/pairs.h"
#include "analyse/numbers/report.h"
#include "analyse/match/tuples.h"
#include "base/hash.h"
#include "read/reader.h"

#define LATENCY_FIELDS_MAX 8

struct where;

enum latency_side { LATENCY_FROM, LATENCY_TO, LATENCY_SIDES };

struct latency_options {
	const char *events[LATENCY_SIDES]; /* name or pattern, as the user wrote it */
	bool is_exact[LATENCY_SIDES]; /* `events` has a name, not a pattern */
	bool (*is_event)(void *data, enum latency_side side, const char *name);
	void *data;
	const char *by[LATENCY_SIDES][LATENCY_FIELDS_MAX]; /* fields that must be equal in a pair */
	size_t by_count;
	const char *per; /* a field of the first event to group rows by; NULL: no groups */
	field_text_fn *text; /* formats the values of `per` */
	bool is_across; /* pairs may be of several processes and traces */
	struct where *where; /* only pairs with an event for which it is true; NULL: all */
	size_t max_open; /* limit of the pairs open at one time; more are an error */
};

/* An event class, as examined by latency.c. */
struct latency_class {
	bool is_known;
	bool is_event[LATENCY_SIDES];
	uint32_t name; /* a number that all classes of one name share */
	int by[LATENCY_SIDES][LATENCY_FIELDS_MAX]; /* results of field_find() */
	int per;
};

struct latency {
	const struct latency_options *options;
	struct reader *reader;
	struct report report;
	struct gaps gaps; /* may be taken from an earlier pass, see gaps_take() */
	char error[512]; /* why nothing more can be added; "": no error */
	bool is_untold; /* the error is that the trace records no threads or no processes */
	/* For latency.c only: */
	struct pairs pairs;
	struct tuples tuples; /* values of open pairs, unless one integer makes a pair */
	VEC(struct latency_class) classes; /* by class index */
	struct hash by_name; /* first class of each name; values: index + 1 */
	enum field_kind kinds[LATENCY_FIELDS_MAX]; /* kinds of the values of each field */
	const struct event_class *kinds_of[LATENCY_FIELDS_MAX]; /* the class that set the kind */
	struct texts groups; /* values of `per`, by number of the group - 1 */
	struct field_bytes bytes; /* values of the current record */
	bool is_of_thread; /* both records of a pair are of one thread */
};

void latency_init(struct latency *l, const struct latency_options *options, struct reader *reader);
void latency_fini(struct latency *l);

/* Checks the fields of all events known so far, to report a wrong field early. */
void latency_check(struct latency *l);

/* True if latency_add() needs the record and its values. */
bool latency_wants(struct latency *l, const struct record *rec);

/* Adds a record, in the order of time: a gap, or a wanted record with its values. */
void latency_add(struct latency *l, const struct record *rec, const struct value *values);

/* Counts the unfinished pairs. The caller then calls report_end(). */
void latency_end(struct latency *l);

/*
 * Lists at most `max` names of fields that all events of both sides have, with values of one kind;
 * returns their number. The names live as long as the reader.
 */
size_t latency_shared_fields(const struct latency *l, const char **names, size_t max);

/* Returns the first event class of that side that the reader has, or NULL. */
const struct event_class *latency_class_of_side(const struct latency *l, enum latency_side side);

#endif
