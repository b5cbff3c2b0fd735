/* SPDX-License-Identifier: MIT */
/*
 * One record of a trace, an event or a gap, in the form that every reader returns. A record and all
 * it points to are valid until the reader's next record; event classes are valid until their reader
 * is closed.
 */
#ifndef READ_RECORD_H
#define READ_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/event.h"
#include "read/bytes.h"

enum value_kind {
	VALUE_NUMBER, /* a scalar or a pointer, extended to 64 bits */
	VALUE_STRING,
	VALUE_ABSENT, /* the format has no room for this argument */
	VALUE_PAIR, /* 128 bits: value_pair() */
};

/* The form of a reader's values and payloads. */
enum value_form {
	VALUES_ANY, /* a value may be of another kind than its argument's type */
	VALUES_TYPED, /* each value is of the kind of its argument's type */
	VALUES_WORDS, /* typed; payloads without strings are their values, u64 of this host */
	VALUES_LAID_OUT, /* typed; payloads have their class's layout, in this host's byte order */
};

/* One argument. A float is stored as its bits, text with a length and bytes as strings. */
struct value {
	union {
		uint64_t number;
		const char *text; /* not NUL-terminated; NULL: the program traced NULL */
		const unsigned char *pair; /* two u64, the low one first */
	};
	uint32_t length; /* bytes of a string; for TYPE_DEBUG also of a number */
	uint8_t kind; /* of enum value_kind */
	uint8_t is_cut; /* the program's string was longer */
	uint8_t is_swapped; /* the pair's byte order is not this host's */
	uint8_t debug; /* for TYPE_DEBUG: enum debug_kind */
};

struct value_pair {
	uint64_t low;
	uint64_t high;
};

/* Returns the halves of a VALUE_PAIR. */
static inline struct value_pair value_pair(const struct value *v)
{
	return (struct value_pair){ load64(v->pair, v->is_swapped),
		load64(v->pair + sizeof(uint64_t), v->is_swapped) };
}

/* Returns a float from its bits: a float of 4 `bytes`, or a double. */
static inline double value_double(uint64_t bits, size_t bytes)
{
	uint32_t half = (uint32_t)bits;
	double d;
	float f;

	if (bytes == sizeof(f)) {
		memcpy(&f, &half, sizeof(f));
		return (double)f;
	}
	memcpy(&d, &bits, sizeof(d));
	return d;
}

/* Extends a number as its declared type requires; the traced host has extended a `char`. */
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

/* Size of a class whose records' payloads differ in size. */
#define PAYLOAD_VARIES SIZE_MAX

/* One kind of event in one trace. */
struct event_class {
	const char *name;
	uint64_t id; /* first number that the trace gave it */
	size_t index; /* dense, from 0: views store prepared data by it */
	/* arguments and format, from the trace or a declaration file; NULL: unknown */
	const struct event *event;
	size_t payload_size; /* of its records, or PAYLOAD_VARIES */
	bool is_own; /* of the runtime: format/own_events.h */
	const struct record_layout *layout; /* layout of the arguments, in native traces */
};

enum record_kind { RECORD_EVENT, RECORD_GAP };

/* The losses at one place, by cause. */
struct losses {
	/* events: */
	uint64_t lost; /* found no memory */
	uint64_t overwritten; /* overwritten by full=overwrite; some may have found no memory */
	/* packets, the number of whose events is unknown: */
	uint64_t rotated; /* removed with the oldest files of a rotated trace */
	uint64_t missing; /* expected but missing */
};

struct record {
	enum record_kind kind;
	uint32_t pid; /* 0 if unknown */
	uint32_t tid; /* 0 if unknown */
	uint32_t trace; /* index in the reader's traces */
	uint64_t ns; /* since boot (CLOCK_MONOTONIC of the traced host) */
	uint64_t offset; /* byte offset of the record in the trace */
	const struct event_class *class; /* class of an event; NULL for a gap */
	union {
		struct { /* for an event */
			const struct value *values; /* NULL until reader_values() decodes them */
			const unsigned char *payload; /* arguments as recorded */
			size_t payload_size;
		};
		struct { /* for a gap */
			struct losses gap;
			/*
			 * Nothing is missing before: the time of the event before the gap, of its
			 * stream. 0: unknown. `ns` is the end; unknown if it is not later.
			 */
			uint64_t from_ns;
		};
	};
};

/* Plain events of one class and one thread, one after the other in their stream. */
struct record_tally {
	const struct event_class *class;
	uint32_t pid;
	uint32_t tid;
	uint32_t trace;
	uint64_t events;
	int64_t first_ns;
	int64_t last_ns;
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
