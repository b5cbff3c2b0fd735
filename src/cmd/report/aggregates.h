/* SPDX-License-Identifier: MIT */
/* The output of `waymark aggregates`, which `waymark ctl` prints, too. */
#ifndef CMD_REPORT_AGGREGATES_H
#define CMD_REPORT_AGGREGATES_H

#include <stdio.h>

#include "analyse/aggregates.h"
#include "cmd/session.h"

enum aggregates_style { AGGREGATES_TEXT, AGGREGATES_JSON, AGGREGATES_PROMETHEUS };

/* Reads the session's traces, which are open, and prints what their programs have added up. */
void aggregates_show(struct session *s, enum aggregates_style style);

/* Prints a table without its histograms. */
void aggregates_put_table(FILE *out, const struct aggregate_table *t);

#endif
