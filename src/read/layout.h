/* SPDX-License-Identifier: MIT */
/*
 * How the arguments of one kind of event are laid out in a packet (format/packet.h,
 * format/debug.h): with natural alignment, counted from the record's start; a string is its length
 * and its bytes. A record is measured when it is read, and decoded only on demand. Pure functions.
 */
#ifndef READ_LAYOUT_H
#define READ_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "read/reader.h"
#include "read/record.h"

enum layout_form {
	LAYOUT_NUMBER,
	LAYOUT_FLOAT,
	LAYOUT_STRING,
	/* of few events: */
	LAYOUT_PAIR, /* 128 bits */
	LAYOUT_TEXT,
	LAYOUT_BYTES,
	LAYOUT_DEBUG,
};

struct layout_field {
	uint8_t size; /* bytes; for a string, of its length */
	uint8_t align; /* bytes */
	bool is_signed;
	uint8_t form; /* of enum layout_form */
};

struct record_layout {
	size_t size; /* of all arguments, or PAYLOAD_VARIES */
	size_t count;
	bool is_odd; /* has arguments other than numbers and strings */
	uint8_t pointer_bytes; /* of the traced host */
	struct layout_field fields[];
};

/* Sets `size` and `is_odd` from the fields. */
void layout_finish(struct record_layout *l);

/* Returns the offset of argument `i`, before which no argument may vary in size. */
size_t layout_offset(const struct record_layout *l, size_t i);

/* Returns the index of the first argument that varies in size; their count if none does. */
size_t layout_first_varying(const struct record_layout *l);

/* Returns the offset of the bytes of the only string if it is the last argument; else 0. */
size_t layout_to_string(const struct record_layout *l);

/* Returns the size of the arguments at `payload`; SIZE_MAX if it exceeds the `left` bytes. */
size_t layout_measure(
	const struct record_layout *l, const unsigned char *payload, size_t left, bool swap);

/* Decodes the arguments at `payload`, which were measured. */
void layout_decode(const struct record_layout *l, struct value *values,
	const unsigned char *payload, bool swap);

/*
 * Replaces the content of argument `i` at `payload`, which was measured: numbers by 0, texts by as
 * many '*'. In this host's byte order.
 */
void layout_hide(const struct record_layout *l, size_t i, unsigned char *payload);

/* Sets a string from its bytes in a packet; for the mark at its end see format/packet.h. */
void layout_set_string(struct value *value, const unsigned char *bytes, uint32_t length);

/* Sets a value to the 128 bits at `p`. */
void layout_set_pair(struct value *value, const unsigned char *p, bool swap);

/* Sets a debug value that is no blob: a number or pair of `size` bytes at `p`. */
void layout_set_debug(
	struct value *value, unsigned int kind, const unsigned char *p, size_t size, bool swap);

/* ---- The place of one field ---- */

/*
 * The place of one field in the records of an event class, found once for many records. A number
 * before the first string of a native trace has a fixed offset, and is loaded without decoding the
 * rest of the event. Pure functions.
 */

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
