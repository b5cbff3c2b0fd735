/* SPDX-License-Identifier: MIT */
/*
 * The place of one field in the records of an event class, found once for many records. A number
 * before the first string of a native trace has a fixed offset, and is loaded without decoding the
 * rest of the event. Pure functions.
 */
#ifndef READ_PLACE_H
#define READ_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "read/reader.h"

struct place {
	const struct arg *arg; /* NULL: the class has no such field */
	uint16_t index; /* of the argument */
	bool is_direct; /* a number of `size` bytes at `offset` of the payload */
	bool is_signed;
	uint8_t size;
	uint32_t offset;
};

/* Returns the place of an argument of a class of the reader; of none if it has no such argument. */
struct place place_of(const struct reader *r, const struct event_class *class, int arg);

/* Loads a number whose place is direct, extended to 64 bits as its type declares. */
static inline uint64_t place_load(const struct place *p, const struct record *rec)
{
	const unsigned char *from = rec->payload + p->offset;

	if (LIKELY(p->size == sizeof(uint64_t))) {
		return load64(from, false);
	}
	uint64_t v = 0;
	size_t unused = 64 - 8u * p->size;

	memcpy(&v, from, p->size);
	v = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? v : v << unused;
	v = p->is_signed ? (uint64_t)((int64_t)v >> unused) : v >> unused;
	return value_extend(&p->arg->type, v);
}

#endif
