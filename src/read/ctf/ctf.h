/* SPDX-License-Identifier: MIT */
/*
 * The reader of native traces (format/ctf.h): directories of CTF streams, one a
 * thread, merged by time. open.c reads the metadata, files.c finds the
 * streams, ctf.c merges them, follow.c looks what came to them; the packets
 * themselves are the business of read/ctf/stream.h.
 */
#ifndef READ_CTF_CTF_H
#define READ_CTF_CTF_H

#include <time.h>

#include "read/reader.h"

#include "read/ctf/metadata.h"
#include "read/ctf/stream.h"

/* What an event's number leads to: all that the loop needs. */
struct ctf_slot {
	struct event_class *class;
	size_t size; /* of a record, its first word included; SIZE_MAX: unknown, 0: varies */
	size_t to_string; /* what is before its last argument's bytes, its only string; 0: not so */
};

/* A stream in the heap, by the time of its next event. */
struct ctf_waiting {
	uint64_t ticks;
	struct ctf_stream *stream; /* of equal times the stream that comes first in memory */
};

/* A live trace is read in rounds: each up to a horizon, before which no more events come. */
struct ctf_follow {
	bool is_on;
	bool is_last; /* the process has ended: this round has no horizon */
	bool has_waited; /* the caller was told that there is nothing */
	bool is_leaving; /* this round reads the files of a trace that gets no more events */
	bool is_lost; /* the next trace cannot be read, which was told */
	unsigned int tries; /* how often that was found */
	struct ctf_stream horizon; /* the heap has it, too: a stream that never has events */
	uint64_t told; /* the last round's horizon, ticks */
	uint64_t measured_ns; /* for how long the clock that is in use had been measured */
	uint64_t new_ns; /* only what is from then on is wanted */
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
	struct hash known_files; /* ctf_file by name */
	struct timespec listed; /* the directory's time when its files were listed last */
	bool is_unsettled; /* which was so short before that it says nothing */
	bool has_empty_files;
	bool has_unreadable_memory; /* it is there, and may not be read, or makes no sense */
	struct arena names;
	struct ctf_follow follow;
};

/* What the merge says to itself: look again. */
#define CTF_LOOK_AGAIN ((enum read_result) - 1)

/* Lists the trace's files, if they changed, and gives them to the streams that are known. */
bool ctf_files_list(struct ctf_reader *r, struct read_error *error);

/* The same, and makes the streams of all files and of what memory holds. Ends all merging. */
bool ctf_streams_find(struct ctf_reader *r, const struct buffer_packet *left, size_t left_count,
	struct read_error *error);

/* The clock as the process has measured it by now. */
void ctf_set_clock(struct ctf_reader *r);

/* Puts a stream into the heap; ctf_sift() afterwards. */
void ctf_push(struct ctf_reader *r, struct ctf_stream *s);

/* Begins to follow, before the first look at memory. */
void ctf_follow_begin(struct ctf_reader *r, const struct reader_options *options);

/* Fills the heap for a round. */
void ctf_follow_fill(struct ctf_reader *r);

/* All up to the horizon was read: what now. */
enum read_result ctf_follow_turn(struct ctf_reader *r);

/* Counts what was read of a packet of memory, if it may be given up afterwards. */
void ctf_follow_count(struct ctf_reader *r, struct ctf_stream *s);

/* Whether to wait for the declaration of the stream's next event. */
bool ctf_follow_waits(const struct ctf_reader *r, const struct ctf_stream *s);

/* Gives the metadata's new events their classes. */
void ctf_bind_events(struct ctf_reader *r);

/* Looks at the metadata again; true when it has events that it had not. */
bool ctf_look_again(struct ctf_reader *r);

/* Brings the heap in order after its first stream's time became another. */
void ctf_sift(struct ctf_reader *r);

/* ctf_clock_span(), for ticks that ctf_packet_fault() let pass, with all that is known before. */
static inline uint64_t ctf_ns(const struct ctf_reader *r, uint64_t ticks)
{
	if (r->clock.freq == CTF_CLOCK_SECOND) {
		return r->ns_of_zero + ticks;
	}
	return r->ns_of_zero + (uint64_t)(int64_t)(1e9 * (double)(int64_t)ticks / r->freq);
}

/* Functions of struct reader. */
enum read_result ctf_next_own(struct reader *base, struct record *rec); /* of a host like this */
enum read_result ctf_next_any(struct reader *base, struct record *rec);
enum read_result ctf_next_new(struct reader *base, struct record *rec);
size_t ctf_take_own(struct reader *base, struct record *records, size_t room);
const struct value *ctf_decode(struct reader *base, const struct record *rec);

#endif
