/* SPDX-License-Identifier: MIT */
/*
 * What running processes have counted, in the text format of Prometheus: events, losses, memory,
 * and aggregations. Read out of memory: neither disturbs the processes nor reads their files.
 */
#ifndef CMD_METRICS_METRICS_H
#define CMD_METRICS_METRICS_H

#include "text/out.h"

/* Writes the metrics of all processes of this user, for root of all users. One thread at a time. */
void metrics_put(struct out *out);

#endif
