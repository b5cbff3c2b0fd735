/* SPDX-License-Identifier: MIT */
/*
 * The runtime's own events in native traces, waymark-ctf(5): what a traced program reports about
 * its tracing. Their arguments, in this order:
 *
 *	waymark:left_out   count: u64, event: String, limits: String
 *	waymark:trigger    event: String, trigger: String
 *	waymark:mark       text: String
 *
 *	waymark:aggregate, waymark:aggregate_float
 *	                   event, function, terms, key: String, bucket: i64, value: i64 or f64,
 *	                   map: u32, snapshot: u32
 *
 * These two hold what calls of an event were added up to, since the process began. `function`:
 * `sum(bytes)`; `terms`: `by op if error == 0`; `key`: `op=read, disk="vda"`, the fields after `by`
 * with their values, or `other`. Each thread has its own map. A reader adds the values of all maps
 * up; of min() and max() it takes the least and the greatest one. The record with snapshot 0 is the
 * newest. A trace that another one followed lacks it: there the highest snapshot is the newest.
 * `left_out` of the key `other` counts values for which there was no memory. `bucket`:
 *
 *	hist       the least value of a bucket: negative, 0, or a power of two
 *	quantile   the same; 16 buckets from one power of two to the next one
 *	avg        0: the value is the sum; 1: the number of values
 *	others     0
 */
#ifndef FORMAT_OWN_EVENTS_H
#define FORMAT_OWN_EVENTS_H

/* Of their names. */
#define OWN_PREFIX "waymark:"

#define OWN_LEFT_OUT "waymark:left_out"
#define OWN_TRIGGER "waymark:trigger"
#define OWN_MARK "waymark:mark"
#define OWN_AGGREGATE "waymark:aggregate"
#define OWN_AGGREGATE_FLOAT "waymark:aggregate_float"

enum own_trigger { TRIGGER_EVENT, TRIGGER_TEXT, TRIGGER_ARGS };

/* The functions of aggregations, and their names. */
enum aggregate_kind {
	AGGREGATE_COUNT,
	AGGREGATE_SUM,
	AGGREGATE_MIN,
	AGGREGATE_MAX,
	AGGREGATE_AVG,
	AGGREGATE_HIST,
	AGGREGATE_QUANTILE,
	AGGREGATE_LEFT_OUT, /* of no rule: values for which there was no memory */
	AGGREGATE_KINDS
};

#define OWN_AGGREGATE_NAMES                                                                    \
	{                                                                                      \
		[AGGREGATE_COUNT] = "count", [AGGREGATE_SUM] = "sum", [AGGREGATE_MIN] = "min", \
		[AGGREGATE_MAX] = "max", [AGGREGATE_AVG] = "avg", [AGGREGATE_HIST] = "hist",   \
		[AGGREGATE_QUANTILE] = "quantile", [AGGREGATE_LEFT_OUT] = "left_out",          \
	}

/* Binary digits after the first one that the buckets of quantile() distinguish; hist(): none. */
#define OWN_QUANTILE_DIGITS 4

enum own_aggregate {
	AGGREGATE_EVENT,
	AGGREGATE_FUNCTION,
	AGGREGATE_TERMS,
	AGGREGATE_KEY,
	AGGREGATE_BUCKET,
	AGGREGATE_VALUE,
	AGGREGATE_MAP,
	AGGREGATE_SNAPSHOT,
	AGGREGATE_ARGS
};

/* The key of calls with keys for which a map had no room. */
#define OWN_AGGREGATE_OTHER "other"

enum own_left_out { LEFT_OUT_COUNT, LEFT_OUT_EVENT, LEFT_OUT_LIMITS, LEFT_OUT_ARGS };

#endif
