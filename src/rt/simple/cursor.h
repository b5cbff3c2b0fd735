/* SPDX-License-Identifier: MIT */
/* A cursor's records, one after the other through its packets. Who drains. */
#ifndef RT_SIMPLE_CURSOR_H
#define RT_SIMPLE_CURSOR_H

#include "rt/record/drain.h"

/* Whether the cursor has a record to read; goes on to its next packet where one ends. */
bool waymark_simple_find(struct recorder *owner, struct cursor *c);

/* The full time of that record, from the 48 bits it carries; never before the last one's. */
uint64_t waymark_simple_ticks(const struct reader *r);

/*
 * Goes on with the closing of a packet that was read to its end, or begins it;
 * it is freed by a later look for a record.
 */
void waymark_simple_close(struct cursor *c, uint64_t now_ns);

#endif
