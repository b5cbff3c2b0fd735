/* SPDX-License-Identifier: MIT */
/*
 * Traces of processes that have begun, also of those that end before they are in a list of running
 * processes, which a slow viewer makes seldom. Each process makes a file for its memory, of which
 * the kernel tells at once: it is opened, and says where the trace is even after the process has
 * ended and removed it. For any thread.
 */
#ifndef RELAY_RECENT_H
#define RELAY_RECENT_H

#include <stdint.h>

#include "relay/traces.h"

struct recent;

/* Begins to note such traces: none if traces are given. Reports that the kernel cannot tell. */
struct recent *recent_new(const struct relay_options *options);
void recent_free(struct recent *r);

/*
 * Returns a descriptor that can be read when a process has begun, -1 if the kernel has none; and
 * the time after which some may have ended, -1: never. Call recent_take() then, soon.
 */
int recent_fd(const struct recent *r);
int recent_wait_ms(struct recent *r);
void recent_take(struct recent *r);

/*
 * Adds the traces that are new since an earlier call, by the number that it returned; only
 * the last ones if there were many. `t` may be NULL. For `r` NULL there are none.
 */
uint64_t recent_list(struct recent *r, uint64_t number, struct relay_traces *t);

#endif
