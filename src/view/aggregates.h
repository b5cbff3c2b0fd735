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

#endif
