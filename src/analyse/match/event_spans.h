/* SPDX-License-Identifier: MIT */
/*
 * Spans of a thread from one event to another, and the events inside that divide a span's time: by
 * the names of events, which records are these, and the names of their frames, an event and the
 * values of chosen fields. analyse/stacks.h makes spans of them. One thread.
 */
#ifndef ANALYSE_EVENT_SPANS_H
#define ANALYSE_EVENT_SPANS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyse/match/fields.h"
#include "analyse/match/pairs.h"
#include "analyse/match/tuples.h"
#include "read/filter.h"
#include "read/record.h"

#define EVENT_SPANS_FIELDS_MAX 8

/* Limit of different names: each value of a field makes one. */
#define EVENT_SPANS_NAMES_MAX 100000

enum event_side { EVENT_FROM, EVENT_TO, EVENT_INSIDE, EVENT_SIDES };

/* An event class, as examined by event_spans.c. */
struct event_spans_class {
	bool is_known;
	unsigned int sides; /* a bit for each enum event_side */
	int per[EVENT_SPANS_FIELDS_MAX]; /* results of field_find() */
};

struct event_spans {
	/* Set by the caller, who frees the patterns: */
	struct name_pattern events[EVENT_SIDES]; /* without a text: none */
	const char *per[EVENT_SPANS_FIELDS_MAX]; /* fields whose values are part of names */
	size_t per_count;
	field_text_fn *text; /* formats values of `per` */
	char error[512]; /* why names are no longer right; "": no error */
	bool lacks_threads; /* records without a thread were left out */
	/* For event_spans.c only: */
	VEC(struct event_spans_class) classes; /* by class index */
	struct tuples tuples; /* a class and its values, for each name */
	VEC(uint32_t) names; /* indices of pairs.names, by number of the tuple */
	struct field_bytes bytes;
};

void event_spans_fini(struct event_spans *e);

/* Returns the sides of an event, a bit for each enum event_side; 0: none. */
unsigned int event_spans_sides(struct event_spans *e, const struct event_class *c);

/* Returns the name of a record's frame, an index of pairs.names. */
uint32_t event_spans_name(struct event_spans *e, struct pairs *p, const struct record *rec,
	const struct value *values);

/*
 * Returns a field of `per` that none of the classes' events that begin or divide spans has, or
 * NULL; and sets `some` to one of these events, or to NULL.
 */
const char *event_spans_unknown_field(
	struct event_spans *e, const struct class_table *classes, const struct event_class **some);

#endif
