/* SPDX-License-Identifier: MIT */
/*
 * `waymark latency` without --by, which pairs what is on one thread: where that finds nothing,
 * the fields that both events have are tried. One thread.
 */
#ifndef CMD_REPORT_LATENCY_BY_H
#define CMD_REPORT_LATENCY_BY_H

#include "analyse/latency.h"
#include "cmd/report/report.h"

/* Adds all records of the session's reader to `count` latencies. */
void latency_add_all(struct session *s, struct latency *latencies, size_t count);

/*
 * Writes the report of `l`, which has all records and paired by thread, or that of the only
 * field that both events have, where only that makes pairs. Says on standard error which
 * field that was, or which fields there are. False where nothing could be reported.
 */
bool latency_put_default(struct session *s, struct latency *l, const struct report_options *report);

#endif
