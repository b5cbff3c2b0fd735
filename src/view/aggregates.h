/* SPDX-License-Identifier: MIT */
/* Aggregations for programs: as JSON, and in the text format of Prometheus. */
#ifndef VIEW_AGGREGATES_H
#define VIEW_AGGREGATES_H

#include "analyse/aggregates.h"
#include "text/out.h"

/* The shares that are shown of a quantile(), in parts of 1000. */
#define AGGREGATES_SHARES 4
extern const unsigned int aggregates_shares[AGGREGATES_SHARES];

/* Returns the average of an avg(). */
struct aggregate_bucket aggregates_avg(const struct aggregate_cell *c);

/* Write all tables, after aggregates_end(); of JSON also the array alone. */
void aggregates_put_json_rows(struct out *out, const struct aggregates *a);
void aggregates_put_json(struct out *out, const struct aggregates *a);
void aggregates_put_prometheus(struct out *out, const struct aggregates *a);

/* Aggregations of one process of several. */
struct aggregates_set {
	const struct aggregates *all;
	const char *labels; /* `program="daemon",pid="17"`, which all its lines have; "": none */
};

/* Writes those of several processes: all lines of a metric in a row, as the format wants it. */
void aggregates_put_prometheus_sets(
	struct out *out, const struct aggregates_set *sets, size_t count);

/* Writes a label's value, quoted and escaped. */
void aggregates_put_label(struct out *out, const char *text);

#endif
