/* SPDX-License-Identifier: MIT */
/*
 * The reader of native traces (format/ctf.h): directories of CTF streams, one a
 * thread, merged by time. ctf_open.c finds metadata and streams, ctf.c merges
 * them; the packets themselves are the business of read/ctf_stream.h.
 */
#ifndef READ_CTF_H
#define READ_CTF_H

#include "read/reader.h"

extern const struct reader_format reader_ctf;

/* For ctf.c and ctf_open.c only, from here on. */

#include "read/ctf_metadata.h"
#include "read/ctf_stream.h"

/* What an event's number leads to: all that the loop needs. */
struct ctf_slot {
	struct event_class *class;
	size_t size; /* of a record, its first word included; UINT32_MAX: unknown, 0: varies */
};

/* A stream in the heap, by the time of its next event. */
struct ctf_waiting {
	uint64_t ticks;
	struct ctf_stream *stream; /* of equal times the stream that comes first in memory */
};

struct ctf_reader {
	struct reader base;
	struct ctf_stream *current; /* the first of the heap; NULL: all were read */
	uint64_t limit; /* up to this time `current` goes on without another look at the heap */
	uint8_t time_shift;
	uint8_t id_shift;
	struct ctf_clock clock;
	double freq; /* of the clock */
	uint64_t ns_of_zero; /* the time since boot of tick 0, modulo 2^64 */
	VEC(struct ctf_slot) slots; /* by event number */
	VEC(struct ctf_waiting) heap;
	VEC(struct ctf_stream) streams;
	VEC(struct ctf_file) files; /* by stream and sequence */
	struct ctf_metadata metadata;
	struct ctf_trace trace;
	size_t problems_told; /* of those of the metadata */
	size_t events_bound; /* of the metadata's events */
	struct trace_info info;
	struct hash classes; /* event_class by name, declaration and layout */
	struct arena names;
};

/* Gives the metadata's new events their classes. */
void ctf_bind_events(struct ctf_reader *r);

/* Looks at the metadata again; true when it has events that it had not. */
bool ctf_look_again(struct ctf_reader *r);

/* Brings the heap in order after its first stream's time became another. */
void ctf_sift(struct ctf_reader *r);

/* Functions of struct reader. */
enum read_result ctf_next_own(struct reader *base, struct record *rec); /* of a host like this */
enum read_result ctf_next_any(struct reader *base, struct record *rec);
const struct value *ctf_decode(struct reader *base, const struct record *rec);

#endif
