/* SPDX-License-Identifier: MIT */
/*
 * What running processes have counted, in the text format of Prometheus: events, losses, memory,
 * and aggregations. Read out of memory: neither disturbs the processes nor reads their files.
 */
#ifndef CMD_METRICS_METRICS_H
#define CMD_METRICS_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "text/out.h"

#define METRICS_LABELS_SIZE 512

/* Writes the metrics of all processes of this user, for root of all users. One thread at a time. */
void metrics_put(struct out *out);

/* Writes the lines before a metric's values. */
void metrics_put_head(struct out *out, const char *name, const char *type, const char *help);

/* Makes the labels of a process. */
void metrics_labels(char labels[METRICS_LABELS_SIZE], const char *command, uint32_t pid);

#endif
