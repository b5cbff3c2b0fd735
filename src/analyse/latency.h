/* SPDX-License-Identifier: MIT */
/*
 * How long it is from one event to another: two records are a pair where the fields that tell
 * them apart are the same, in one process unless it is to be across. What is begun again
 * before its end is forgotten and counted; nothing is guessed. Memory is bounded by what is
 * open at one time. One thread.
 */
#ifndef ANALYSE_LATENCY_H
#define ANALYSE_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "analyse/fields.h"
#include "analyse/pairs.h"
#include "analyse/report.h"
#include "analyse/tuples.h"
#include "base/hash.h"
#include "read/reader.h"

#define LATENCY_FIELDS_MAX 8

/* How many values a report can be grouped by: each takes the memory of a distribution. */
#define LATENCY_GROUPS_MAX 1000

enum latency_side { LATENCY_FROM, LATENCY_TO, LATENCY_SIDES };

struct latency_options {
	const char *events[LATENCY_SIDES]; /* as they were given, for messages */
	bool is_exact[LATENCY_SIDES]; /* that is the event's name */
	bool (*is_event)(void *data, enum latency_side side, const char *name);
	void *data;
	const char *by[LATENCY_SIDES][LATENCY_FIELDS_MAX]; /* fields of either event */
	size_t by_count;
	const char *per; /* a field of the first event; NULL: rows are not grouped */
	field_text_fn *text; /* the values of that */
	bool is_across; /* pairs may be of several processes and traces */
	size_t max_open;
};

/* What is known of an event class. */
struct latency_class {
	bool is_known;
	bool is_event[LATENCY_SIDES];
	uint32_t name; /* the same for all classes of one name */
	int by[LATENCY_SIDES][LATENCY_FIELDS_MAX];
	int per;
};

struct latency {
	const struct latency_options *options;
	const struct reader *reader;
	struct report report;
	char error[512]; /* why nothing more can be added; "": nothing is wrong */
	bool is_untold; /* that is so because the trace tells no threads or no processes */
	/* For latency.c only: */
	struct pairs pairs;
	struct tuples tuples; /* of what is open, where one integer does not tell it */
	VEC(struct latency_class) classes; /* by class index */
	struct hash by_name; /* the first class of each; values: index + 1 */
	enum field_kind kinds[LATENCY_FIELDS_MAX];
	const struct event_class *kinds_of[LATENCY_FIELDS_MAX]; /* which event has told */
	struct hash groups; /* values: number, from 1 */
	VEC(char *) group_texts;
	struct field_bytes bytes;
	bool is_of_thread; /* a pair's thread is one */
};

void latency_init(
	struct latency *l, const struct latency_options *options, const struct reader *reader);
void latency_fini(struct latency *l);

/* Looks at all events that are known by now, so that a mistake shows early. */
void latency_check(struct latency *l);

/* Whether the record's values are wanted. */
bool latency_wants(struct latency *l, const struct record *rec);

/* Takes a record, in the order of time: a gap, or what is wanted with its values. */
void latency_add(struct latency *l, const struct record *rec, const struct value *values);

/* Ends the adding: counts what is unfinished; report_end() is the caller's. */
void latency_end(struct latency *l);

/* Whether the reader knows an event for that side. */
bool latency_has(const struct latency *l, enum latency_side side);

/*
 * The names of fields, at most `max`, that every event of both sides has, with values of one
 * kind; returns how many. They live as long as the reader.
 */
size_t latency_shared_fields(const struct latency *l, const char **names, size_t max);

/* An event of that side, the first that the reader knows; NULL: it knows none. */
const struct event_class *latency_class_of_side(const struct latency *l, enum latency_side side);

/* Looks at an event class for the first time; a mistake is in `error`. For latency.c. */
void latency_classify(struct latency *l, const struct event_class *c);

#endif
