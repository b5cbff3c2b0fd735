/* SPDX-License-Identifier: MIT */
/*
 * The reader of native traces (format/ctf.h): directories of CTF streams, one a
 * thread, merged by time. Its files call downwards only:
 *
 *	open.c      opens a trace and closes it
 *	records.c   the records, in the order of time; heap.h the order of the streams
 *	count.c     the number of records, in any order
 *	section.c   a part of the time; seek.c where it begins in the files
 *	follow.c    rounds of a trace whose process records
 *	position.c  where a reader ends, for another one to go on
 *	raw.c       bytes and ticks of records, for those who pass them on
 *	files.c     the streams, of files and of packets in memory
 *	outline.c   threads and times, from the headers of packets
 *	stream.c    the packets of a stream; gap.c what is missing of it
 *	bind.c      event numbers to classes, ticks to nanoseconds
 *	metadata.c  the metadata; event.c its events, parser.c tokens and types
 */
#ifndef READ_CTF_CTF_H
#define READ_CTF_CTF_H

#include <time.h>

#include "read/reader.h"

#include "read/ctf/metadata.h"
#include "read/ctf/stream.h"

/* The event class of a number, and what the loop needs of it. */
struct ctf_slot {
	struct event_class *class;
	size_t size; /* record size with its first word; SIZE_MAX: unknown, 0: varies */
	size_t to_string; /* offset of its only string, the last argument; 0: no such string */
	bool is_skipped; /* nobody needs its events */
	bool is_own; /* of the runtime: not counted without a look at its values */
};

/* A stream in the heap, ordered by the time of its next event. */
struct ctf_waiting {
	uint64_t ticks;
	struct ctf_stream *stream; /* for equal times, the first in memory comes first */
};

/* A live trace is read in rounds, each up to a horizon before which no more events come. */
struct ctf_follow {
	bool is_on;
	bool is_last; /* the process has ended: this round has no horizon */
	bool has_waited; /* READ_NOTHING was returned */
	bool is_leaving; /* this round reads the files of a trace that will get no more events */
	bool is_lost; /* the next trace cannot be read, which was reported before */
	bool stays; /* the next trace is not wanted */
	unsigned int tries; /* failed openings of the next trace */
	struct ctf_stream horizon; /* a stream without events, as a mark in the heap */
	uint64_t last_horizon; /* in ticks, of the last round */
	uint64_t measured_ns; /* time over which the clock in use was measured */
	uint64_t new_ns; /* start of FOLLOW_NEW */
};

struct ctf_reader {
	struct reader base;
	struct ctf_stream *current; /* the first of the heap; NULL: all were read */
	uint64_t limit; /* in ticks: `current` continues up to it without checking the heap */
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
	size_t problems_reported; /* number of problems of the metadata */
	size_t events_bound; /* number of the metadata's events */
	struct trace_info info;
	struct hash classes; /* event_class by name, declaration and layout */
	struct hash known_files; /* ctf_file by name */
	struct timespec listed; /* the directory's time at the last listing */
	bool is_unsettled; /* the listing was too soon after a change to show later ones */
	bool has_empty_files;
	bool is_of_memory; /* files are not read */
	bool has_unreadable_memory; /* its memory exists, but is unreadable or damaged */
	struct arena names;
	struct ctf_follow follow;
	struct reader_needs needs;
	bool is_divided; /* it is read in sections; else `from` and `until` have no effect */
	uint64_t from; /* in ticks: the section's first time */
	uint64_t until; /* in ticks: the time after the section; UINT64_MAX: none */
};

/* Result of one step of the merge: try again. */
#define CTF_LOOK_AGAIN ((enum read_result) - 1)

/* Rounds that an event waits for its declaration, or a reader for the next trace. */
#define CTF_WAITS_MAX 20

/* Does ctf_clock_span() for ticks up to trace.last_ticks, with everything prepared. */
static inline uint64_t ctf_ns(const struct ctf_reader *r, uint64_t ticks)
{
	if (r->clock.freq == CTF_CLOCK_SECOND) {
		return r->ns_of_zero + ticks;
	}
	return r->ns_of_zero + (uint64_t)(int64_t)(1e9 * (double)(int64_t)ticks / r->freq);
}

/* Returns the first time in ticks that is not before a time in ns. */
uint64_t ctf_ticks(const struct ctf_reader *r, int64_t ns); /* bind.c */

/* ---- records.c: functions of struct reader ---- */

enum read_result ctf_next_own(struct reader *base, struct record *rec); /* of a host like this */
enum read_result ctf_next_any(struct reader *base, struct record *rec);
enum read_result ctf_next_new(struct reader *base, struct record *rec); /* from follow.new_ns on */
enum read_result ctf_next_none(struct reader *base, struct record *rec);
size_t ctf_take_own(struct reader *base, struct record *records, size_t room);
size_t ctf_take_of(
	struct reader *base, const struct event_class *class, struct record *records, size_t room);
size_t ctf_count_own(struct reader *base, struct record_tally *runs, size_t room); /* count.c */
const struct value *ctf_decode(struct reader *base, const struct record *rec);

/* Notes the events that were read from a packet in memory, which may be overwritten later. */
void ctf_records_credit(struct ctf_reader *r, struct ctf_stream *s);

/* Fills the heap with all streams; if the trace is followed, for one round. */
void ctf_records_begin(struct ctf_reader *r);

/* ---- seek.c ---- */

/*
 * Moves a stream of files that was not begun to the packet that has a time, if its index is right.
 * Packets before it stay unread, with their gaps and problems.
 */
void ctf_seek(const struct ctf_reader *r, struct ctf_stream *s, uint64_t ticks);

/* ---- section.c ---- */

/* Does reader_limit(). */
void ctf_limit(struct reader *base, const struct reader_needs *needs);

/* Does reader_section(). */
void ctf_section(struct reader *base, int64_t from_ns, int64_t until_ns);

/* Passes what the stream's new packet has before the section. */
void ctf_section_enter(const struct ctf_reader *r, struct ctf_stream *s);

/* ---- follow.c ---- */

/* Begins to follow. Call before the first scan of memory. */
void ctf_follow_begin(struct ctf_reader *r, enum reader_follow follow);

/* Makes all streams begin with events that are recorded from now on. */
void ctf_follow_skip_old(struct ctf_reader *r);

/* True if a stream may have new events in this round. */
bool ctf_follow_has_news(const struct ctf_reader *r, const struct ctf_stream *s);

/*
 * Begins the next round. Call when everything up to the horizon was read. Returns CTF_LOOK_AGAIN if
 * the next round has begun, READ_NOTHING if the caller must wait, else the end or an error.
 */
enum read_result ctf_follow_turn(struct ctf_reader *r);

/* ---- position.c ---- */

/* Does reader_positions(). */
void ctf_positions(struct reader *base, struct reader_positions *positions);

/* Moves the streams to these places. Call before ctf_records_begin(). */
void ctf_resume(struct ctf_reader *r, const struct reader_positions *positions);

/* ---- files.c ---- */

/* Lists the trace's files if they changed, and assigns them to the known streams. */
bool ctf_files_list(struct ctf_reader *r, struct read_error *error);

/*
 * Lists the files, and makes the streams of all files and of packets in memory. Streams move in
 * memory: call ctf_records_begin() afterwards.
 */
bool ctf_streams_find(struct ctf_reader *r, const struct buffer_packet *left, size_t left_count,
	struct read_error *error);

/* ---- outline.c ---- */

/* Does reader_outline(). */
bool ctf_outline(const struct reader *base, struct reader_outline *o);

/* Does reader_loads(). */
bool ctf_loads(const struct reader *base, struct reader_loads *loads);

/* ---- bind.c ---- */

/* Binds the metadata's new events to classes. */
void ctf_bind_events(struct ctf_reader *r);

/* Notes which classes nobody needs. */
void ctf_bind_needs(struct ctf_reader *r);

/* Reads the metadata again; returns whether it has new events. May set is_short of the error. */
bool ctf_look_again(struct ctf_reader *r);

/* Sets the clock to the process's latest measurement. */
void ctf_set_clock(struct ctf_reader *r);

#endif
