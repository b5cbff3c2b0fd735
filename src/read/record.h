/* SPDX-License-Identifier: MIT */
/*
 * What every reader hands out: one record of a trace, an event or a gap. A
 * record and all it points to are valid until the reader's next record; event
 * classes live as long as their reader.
 */
#ifndef READ_RECORD_H
#define READ_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "model/event.h"
#include "read/bytes.h"

enum value_kind {
	VALUE_NUMBER, /* a scalar or a pointer, extended to 64 bits */
	VALUE_STRING,
	VALUE_ABSENT, /* the format had no room for this argument */
	VALUE_PAIR, /* 128 bits: value_pair() */
};

/* What a reader promises of its values and payloads. */
enum value_form {
	VALUES_ANY, /* values may be of another kind than their arguments' types */
	VALUES_TYPED, /* each value is of the kind that its argument's type asks for */
	/* and payloads of classes without strings are their values, u64 of this host, */
	VALUES_WORDS,
	/* or lie there as their class's layout tells, in this host's byte order */
	VALUES_LAID_OUT,
};

/* One argument. Floats are the bits that they are; text with a length and bytes are strings. */
struct value {
	union {
		uint64_t number;
		const char *text; /* not NUL-terminated; NULL: the program traced NULL */
		const unsigned char *pair; /* two u64, the low one first */
	};
	uint32_t length; /* of a string, in bytes; of an argument of TYPE_DEBUG also of a number */
	uint8_t kind; /* of enum value_kind */
	uint8_t is_cut; /* of a string: the program's was longer */
	uint8_t is_swapped; /* of a pair: its byte order is not this host's */
	uint8_t debug; /* of an argument of TYPE_DEBUG: what it is, enum debug_kind */
};

struct value_pair {
	uint64_t low;
	uint64_t high;
};

/* The halves of a VALUE_PAIR. */
static inline struct value_pair value_pair(const struct value *v)
{
	return (struct value_pair){ load64(v->pair, v->is_swapped),
		load64(v->pair + sizeof(uint64_t), v->is_swapped) };
}

/* A number as its declared type has it; a `char` is what the traced host made of it. */
static inline uint64_t value_extend(const struct type *t, uint64_t v)
{
	bool whole = t->class != TYPE_INTEGER || t->is_char || t->size64 >= sizeof(v);
	unsigned int unused = whole ? 0 : 64 - 8u * t->size64;

	if (t->is_signed) {
		return (uint64_t)((int64_t)(v << unused) >> unused);
	}
	return v << unused >> unused;
}

struct record_layout; /* read/layout.h */

/* Not all records of the class have payloads of one size. */
#define PAYLOAD_VARIES SIZE_MAX

/* One kind of event in one trace. */
struct event_class {
	const char *name;
	uint64_t id; /* the first one that the trace gave it */
	size_t index; /* dense, from 0: views keep what they prepare under it */
	/* Its arguments and format, from the trace or a declaration file; NULL: unknown. */
	const struct event *event;
	size_t payload_size; /* what a record of this class holds, or PAYLOAD_VARIES */
	const struct record_layout *layout; /* of native traces: where in it the arguments lie */
};

enum record_kind { RECORD_EVENT, RECORD_GAP };

/* What is missing at one place, by why. */
struct losses {
	/* Events, which were counted: */
	uint64_t lost; /* that found no room */
	uint64_t overwritten; /* that full=overwrite gave up, among them some that found no room */
	/* Packets, of whose events nobody knows the number: */
	uint64_t rotated; /* that went with the oldest pieces of a rotated trace */
	uint64_t missing; /* that are not there, and should be */
};

struct record {
	enum record_kind kind;
	uint32_t pid; /* 0 where the trace does not say */
	uint32_t tid; /* 0 where the trace does not say */
	uint32_t trace; /* which of the reader's traces it is from */
	uint64_t ns; /* since boot (CLOCK_MONOTONIC of the traced host) */
	uint64_t offset; /* of the record in the trace, in bytes */
	const struct event_class *class; /* of an event; of a gap NULL */
	union {
		struct { /* of an event */
			const struct value *values; /* NULL until reader_values() decodes them */
			const unsigned char *payload; /* the arguments as they were recorded */
			size_t payload_size;
		};
		struct losses gap;
	};
};

static inline uint64_t losses_events(const struct losses *l)
{
	return l->lost + l->overwritten;
}

static inline uint64_t losses_packets(const struct losses *l)
{
	return l->rotated + l->missing;
}

static inline void losses_add(struct losses *sum, const struct losses *l)
{
	sum->lost += l->lost;
	sum->overwritten += l->overwritten;
	sum->rotated += l->rotated;
	sum->missing += l->missing;
}

#endif
