/* SPDX-License-Identifier: MIT */
/* A cursor's records, one after the other through its packets. Under the drain lock. */
#ifndef RT_SIMPLE_INPUT_H
#define RT_SIMPLE_INPUT_H

#include "rt/record/drain.h"

/* This consumer's own state of a cursor, in cursor.own. */
struct simple_input {
	char *pos; /* of the next record */
	char *end; /* of the bytes known to be published */
	uint64_t ticks; /* of the last record, completed to 64 bits */
	uint64_t gap; /* events lost before the next record, not reported yet */
	uint64_t *thread_ns; /* last_ns of the thread's first cursor */
	uint64_t last_ns; /* in the first cursor: the last timestamp written for this thread */
};

_Static_assert(sizeof(struct simple_input) <= CURSOR_OWN_BYTES, "it lies in a cursor");

static inline struct simple_input *simple_input(struct cursor *c)
{
	return (void *)c->own;
}

/* True if the cursor has a record to read; moves to its next packet where one ends. */
bool waymark_simple_find(struct recorder *owner, struct cursor *c);

/* The full time of that record, from the 48 bits it carries; never before the last one's. */
uint64_t waymark_simple_ticks(const struct simple_input *in);

/*
 * Goes on with the closing of a packet that was read to its end, or begins it;
 * it is freed by a later look for a record.
 */
void waymark_simple_close(struct cursor *c, uint64_t now_ns);

#endif
