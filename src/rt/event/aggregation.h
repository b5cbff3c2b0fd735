/* SPDX-License-Identifier: MIT */
/*
 * Aggregations: `aggregate io_complete count, sum(bytes), hist(bytes) by op if error == 0`. Calls
 * of the event are added up, by function and key, and not recorded. A rule has one as it has a
 * trigger (trigger.h); the threads that call add up (rt/site/aggregate.c).
 */
#ifndef RT_EVENT_AGGREGATION_H
#define RT_EVENT_AGGREGATION_H

#include <waymark/control.h>

#include "format/own_events.h"
#include "rt/event/field.h"
#include "rt/event/part.h"

#define AGGREGATE_FUNCTIONS_MAX 8u /* `count`, which each has, is one of them */
#define AGGREGATE_KEYS_MAX 4u

/* The most different aggregations of a process. One that is switched on again continues. */
#define AGGREGATIONS_MAX 64u

struct aggregate_function {
	enum aggregate_kind kind;
	struct part text; /* `sum(bytes)` */
	struct part value; /* `bytes`, or an elapsed() */
};

/* Its parts are in `text`, which is the rule's without `aggregate `. */
struct aggregation {
	unsigned int users; /* terms and watches; atomic */
	unsigned int function_count;
	unsigned int key_count;
	struct aggregate_function functions[AGGREGATE_FUNCTIONS_MAX]; /* the first is `count` */
	struct part keys[AGGREGATE_KEYS_MAX]; /* names of fields */
	struct part event; /* its pattern */
	struct part terms; /* `by op if error == 0` */
	struct part elapsed; /* the elapsed() among the values; without text: none */
	char text[];
};

/* A field, or elapsed(), whose values are added up. */
struct aggregate_field {
	struct field_ref ref;
	bool is_float;
	/* The next two of an integer's sum(), hist() and quantile(). */
	bool is_plain;
	uint8_t digits; /* binary ones of a bucket after the first; AGGREGATE_NO_BUCKETS: a sum */
};

#define AGGREGATE_NO_BUCKETS UINT8_MAX

/* An aggregation of one event. */
struct aggregate_binding {
	struct aggregation *aggregation; /* it is a user */
	unsigned int index; /* of this process, see waymark_aggregation_index() */
	unsigned int function_count; /* the aggregation's, as a call reads no other memory of it */
	unsigned int key_count;
	bool is_plain; /* its keys are integers, and all of its values are plain */
	struct aggregate_field values[AGGREGATE_FUNCTIONS_MAX];
	struct field_ref keys[AGGREGATE_KEYS_MAX];
};

/*
 * Makes the aggregation in a rule's text without `aggregate `, with one user. `functions`: the part
 * of it between the pattern and the condition. Returns NULL, with the reason, if it is wrong.
 */
struct aggregation *waymark_aggregation_new(
	const char *text, struct part pattern, struct part functions, struct waymark_error *error);

/* Adds and removes a user; the last one frees it. NULL does nothing. */
struct aggregation *waymark_aggregation_use(struct aggregation *a);
void waymark_aggregation_release(struct aggregation *a);

/*
 * Binds it to the event of the fields. Returns false, with the reason, if the event lacks a field,
 * or a value is no number.
 */
bool waymark_aggregation_bind(const struct aggregation *a, const struct fields *f,
	struct aggregate_binding *b, struct waymark_error *error);

/*
 * Returns a number below AGGREGATIONS_MAX, the same for the same text; AGGREGATIONS_MAX if there
 * were too many. Under the control lock.
 */
unsigned int waymark_aggregation_index(const struct aggregation *a);

#endif
