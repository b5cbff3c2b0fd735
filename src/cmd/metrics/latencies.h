/* SPDX-License-Identifier: MIT */
/*
 * How long the declared pairs of running processes take: scopes, and lives from `@begin` to `@end`
 * of a key. Their traces are followed, and each pair counts in a histogram of its process, which
 * never counts back. All events of a trace are passed to find those of pairs, which costs time for
 * each event that is recorded: the commands do it by an option only.
 */
#ifndef CMD_METRICS_LATENCIES_H
#define CMD_METRICS_LATENCIES_H

#include "text/out.h"

struct latencies;

/*
 * Reads the traces of all running processes of this user, for root of all users, up to now. Reports
 * on standard error, as `command`, what cannot be read. The caller frees it by latencies_end().
 */
struct latencies *latencies_read(const char *command);

/*
 * Follows those traces in a thread of its own: what was recorded before the call does not count,
 * and processes that begin later count from their beginning. NULL: there is no thread, reported.
 */
struct latencies *latencies_follow(const char *command);

/* Writes the histograms in the text format of Prometheus. For any thread; NULL writes nothing. */
void latencies_put(struct latencies *l, struct out *out);

/* Ends the thread if there is one, and frees all. NULL: nothing. */
void latencies_end(struct latencies *l);

#endif
