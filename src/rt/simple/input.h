/* SPDX-License-Identifier: MIT */
/* A cursor's records, in order through all its packets. Under the drain lock. */
#ifndef RT_SIMPLE_INPUT_H
#define RT_SIMPLE_INPUT_H

#include <string.h>

#include "rt/record/drain.h"

/* This consumer's own state of a cursor, in cursor.own. */
struct simple_input {
	char *pos; /* of the next record */
	char *end; /* of the bytes known to be published */
	uint64_t ticks; /* of the last record, completed to 64 bits */
	uint64_t gap; /* events lost before the next record, not reported yet */
	uint64_t *thread_ns; /* the last_ns of the thread's first cursor */
	uint64_t last_ns; /* in the first cursor: the last timestamp written for this thread */
};

_Static_assert(sizeof(struct simple_input) <= CURSOR_OWN_BYTES, "it lies in a cursor");

static inline struct simple_input *simple_input(struct cursor *c)
{
	return (void *)c->own;
}

/* Returns true if the cursor has a record to read; moves to the next packet if one is read. */
bool waymark_simple_find(struct recorder *owner, struct cursor *c);

/*
 * Returns the full time of a record, from the 48 bits of its first word; never earlier than the
 * last record's.
 */
static inline uint64_t simple_ticks_of(uint64_t word, uint64_t last)
{
	int64_t step = (int64_t)((word & ~UINT64_C(0xffff)) - (last << 16)) >> 16;

	return step > 0 ? last + (uint64_t)step : last;
}

/* Returns the full time of the record that was found. */
static inline uint64_t simple_ticks(const struct simple_input *in)
{
	uint64_t word;

	memcpy(&word, in->pos, sizeof(word));
	return simple_ticks_of(word, in->ticks);
}

/*
 * Begins or continues closing a packet that was read to its end. A later waymark_simple_find()
 * frees it.
 */
void waymark_simple_close(struct cursor *c, uint64_t now_ns);

#endif
