/* SPDX-License-Identifier: MIT */
/*
 * One trace, read record by record, whatever its format: reader.c has the table of formats. A
 * reader never prints; it returns errors as text with a byte offset. Each reader belongs to one
 * thread.
 */
#ifndef READ_READER_H
#define READ_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "read/classes.h"
#include "read/input.h"
#include "read/record.h"

enum read_result {
	READ_RECORD, /* the record is filled in */
	READ_END, /* the whole trace was read */
	READ_PROBLEM, /* one record is wrong; the next call continues after it */
	READ_DAMAGED, /* nothing more can be read */
	READ_NOTHING, /* a followed trace has no record now */
};

/* Whether reading continues at the end of a native trace whose process lives. */
enum reader_follow {
	FOLLOW_NOT, /* READ_END */
	FOLLOW_ALL, /* READ_NOTHING; later calls look for new records */
	FOLLOW_NEW, /* like FOLLOW_ALL, without records from before the trace was opened */
};

/* Why a trace or record could not be read: one line, without control characters. */
struct read_error {
	char text[512];
	bool is_mismatch; /* a record contradicts its declaration */
	bool is_short; /* there was no free descriptor: a later reader goes on at the position */
	/* depth of a native trace's file in its directory; 0: no such file, or unknown */
	unsigned int depth;
};

/*
 * A place in a stream of a native trace: everything before it was returned. The numbers are those
 * of the packets' headers (format/packet.h).
 */
struct reader_position {
	uint64_t stream; /* stream_instance_id */
	uint64_t packet; /* sequence of the last packet of which something was read; 0: none */
	uint64_t offset; /* bytes of the packet that were read; UINT64_MAX: all */
	uint64_t ticks; /* time of its last event that was read */
	uint64_t discarded; /* events that were reported as missing */
	uint64_t evicted; /* of these, events that were overwritten */
	bool is_open; /* the packet was open, and may have grown */
	struct losses gap; /* counted above, but not returned yet */
};

/* Events of a packet that were read from memory: they are not missing if it is overwritten. */
struct reader_credit {
	uint64_t stream;
	uint64_t packet;
	uint64_t events;
};

struct reader_positions {
	VEC(struct reader_position) all; /* by stream */
	VEC(struct reader_credit) credits; /* by stream, oldest first */
};

struct reader_options {
	const struct model *declarations; /* NULL: none; must outlive the reader */
	bool no_header; /* the file begins with its first record */
	/*
	 * Called, unless NULL, before a wait for a pipe's next bytes, and again when a signal
	 * interrupts the wait, so that the caller can print what was read. False ends the trace.
	 */
	bool (*on_wait)(void *data);
	/*
	 * Called, unless NULL, for each of several traces that cannot be read; the others are read.
	 */
	void (*on_unreadable)(void *data, const char *path, const struct read_error *error);
	void *data; /* argument of both functions */
	enum reader_follow follow;
	bool is_again; /* it was opened before: missing files were reported then */
	bool stays; /* a followed trace ends where its process turns to another one */
	bool is_of_memory; /* only what is in memory now, without the files of a native trace */
	/* Where a former reader of this trace ended; NULL: at its begin. Read by the opening only.
	 */
	const struct reader_positions *positions;
};

/*
 * The records that a caller needs. A reader may leave out others to be faster, with problems in
 * what it leaves out; it returns every gap of the needed threads
 * unless `is_part` is set.
 */
struct reader_needs {
	int64_t from_ns; /* included; INT64_MIN: all */
	int64_t to_ns; /* included; INT64_MAX: all */
	const uint32_t *tids;
	size_t tid_count; /* 0: all */
	bool is_part; /* gaps and problems outside of the time are not needed, either */
	bool any_order; /* only the records of one packet must be in the order of their times */
	/* Decides on the events of a class, by its name and declaration. NULL: all. */
	bool (*needs_class)(void *data, const struct event_class *class);
	void *data;
};

/* What is known of a trace's threads and times without reading its events. */
struct outline_thread {
	uint32_t trace;
	uint32_t tid;
	int64_t first_ns; /* no record of the thread is older */
	int64_t last_ns; /* none is newer, as far as files show */
};

struct reader_outline {
	VEC(struct outline_thread) threads;
};

/* A packet: how many bytes lie in a time. */
struct reader_load {
	int64_t ns; /* its begin */
	uint64_t span_ns; /* from there to its end */
	uint64_t bytes;
	uint32_t trace;
	uint32_t tid; /* of its stream's first packet */
};

struct reader_loads {
	VEC(struct reader_load) all;
};

/* Adds a time in which a thread recorded. */
void outline_add(struct reader_outline *o, uint32_t tid, int64_t first_ns, int64_t last_ns);

struct reader;

struct reader_format {
	const char *name;
	const char *release; /* version as users know it, or NULL */
	bool is_text; /* has no version and byte order; has threads, but not always processes */
	/* Opens a directory, and keeps its descriptor open; NULL if no trace is a directory. */
	struct reader *(*open_directory)(
		int fd, const struct reader_options *options, struct read_error *error);
	/* True if the input begins as this format does. */
	bool (*detect)(struct input *in);
	/* Takes ownership of the input, unless it fails and returns NULL. */
	struct reader *(*open)(
		struct input *in, const struct reader_options *options, struct read_error *error);
	/* For reader_close_files(); may be called twice. */
	void (*close_files)(struct reader *r);
	/* Frees the rest. Call close_files() before. */
	void (*close)(struct reader *r);
	/* For reader_progress(); NULL if progress is never known. */
	double (*progress)(const struct reader *r);
	/* For reader_outline(); NULL if only records show it. */
	bool (*outline)(const struct reader *r, struct reader_outline *o);
	/* For reader_limit(); NULL if it returns all records anyway. */
	void (*limit)(struct reader *r, const struct reader_needs *needs);
	/* For reader_loads() and reader_section(); NULL if it cannot be read in sections. */
	bool (*loads)(const struct reader *r, struct reader_loads *loads);
	void (*section)(struct reader *r, int64_t from_ns, int64_t until_ns);
	/* For reader_positions(); NULL if it cannot be resumed. */
	void (*positions)(struct reader *r, struct reader_positions *positions);
};

/* The formats, each in the folder of its name. */
extern const struct reader_format reader_ctf;
extern const struct reader_format reader_kernel;
extern const struct reader_format reader_simple;

/* The meaning of the state `unfinished`. */
#define READ_UNFINISHED \
	"its process did not end it, and its memory is not here: the last events are missing"

/* One trace of a reader, and its process; "" and 0 if unknown. */
struct trace_info {
	const char *path; /* as the user named it; NULL: the only trace */
	const uint8_t *uuid; /* 16 bytes; NULL: it has none */
	const struct reader *reader; /* its own reader; NULL: the only trace */
	const char *hostname;
	const char *boot_id;
	const char *procname;
	uint32_t pid;
	bool has_realtime;
	/* added to a record's `ns`, modulo 2^64, makes nanoseconds since 1970 */
	uint64_t realtime;
	uint64_t freq; /* of its clock, ticks a second */
	const char *clock_host; /* the other host whose clock it has; NULL: none */
	uint64_t clock_error; /* largest error of that, in ns */
	size_t streams;
	size_t streams_gone; /* number of streams without packets, as far as known */
	bool is_live; /* its process still records */
	bool has_leftovers; /* part of it is still in memory, and its process has ended */
	const char *state; /* as in waymark-info(1), as far as files show; NULL: unknown */
	const char *why; /* for the state `unwritten`: why its process could not write the rest */
	bool is_cut; /* its metadata ends inside a declaration */
};

/* The part that all readers share; a format's own reader begins with it. */
struct reader {
	const struct reader_format *format;
	enum read_result (*next)(struct reader *r, struct record *rec);
	size_t (*take)(struct reader *r, struct record *records, size_t room); /* NULL: it cannot */
	/* For reader_take_of(); NULL: it cannot pass events faster. */
	size_t (*take_of)(struct reader *r, const struct event_class *class, struct record *records,
		size_t room);
	/* For reader_count(); NULL: it cannot. */
	size_t (*count)(struct reader *r, struct record_tally *runs, size_t room);
	const struct value *(*decode)(struct reader *r, const struct record *rec);
	struct class_table classes;
	const struct model *declarations;
	struct value *values; /* room for the arguments of any class */
	size_t value_capacity;
	unsigned int version;
	bool swap; /* the trace's byte order is not this host's */
	enum value_form form; /* of its values and payloads */
	bool has_pid; /* its records have a pid */
	const struct trace_info *traces; /* by record.trace */
	size_t trace_count;
	bool is_stopped; /* see reader_stop() */
	int64_t horizon; /* time in ns, set at READ_NOTHING: later records are not older */
	bool has_hosts; /* the traces are of several hosts */
	struct read_error error; /* of the last READ_PROBLEM or READ_DAMAGED */
};

/* Opens a trace; "-" is standard input. NULL on failure, with the reason in `error`. */
struct reader *reader_open(
	const char *path, const struct reader_options *options, struct read_error *error);

/* Opens the trace of a descriptor. The caller closes the descriptor after the reader. */
struct reader *reader_open_fd(
	int fd, const struct reader_options *options, struct read_error *error);
void reader_close(struct reader *r);

/*
 * Frees files and mappings, and keeps the classes and traces with all texts until reader_close(),
 * the only function that may be called then.
 */
void reader_close_files(struct reader *r);

/* True if the traces declare all of their events before the first record. */
bool reader_declares_all(const struct reader *r);

/*
 * True if the records come in the order of time, but for damage. The other formats have them in the
 * order in which they were written.
 */
bool reader_is_ordered(const struct reader *r);

/* True if an input begins like a trace of any known format; consumes nothing. */
bool reader_is_trace(struct input *in);

/* Ends following: records present now are the last. For any thread; async-signal-safe. */
static inline void reader_stop(struct reader *r)
{
	__atomic_store_n(&r->is_stopped, true, __ATOMIC_RELAXED);
}

static inline bool reader_is_stopped(const struct reader *r)
{
	return __atomic_load_n(&r->is_stopped, __ATOMIC_RELAXED);
}

/*
 * Adds the threads of the traces; false if only records show them. Call before the first record.
 * The caller frees o->threads.
 */
static inline bool reader_outline(const struct reader *r, struct reader_outline *o)
{
	return r->format->outline && r->format->outline(r, o);
}

/* Limits the records to the needed ones. Call before the first record; keeps needs->tids. */
static inline void reader_limit(struct reader *r, const struct reader_needs *needs)
{
	if (r->format->limit) {
		r->format->limit(r, needs);
	}
}

/*
 * Adds the traces' packets; false if they cannot be read in sections, see read/sections.h. The
 * caller frees loads->all.
 */
static inline bool reader_loads(const struct reader *r, struct reader_loads *loads)
{
	return r->format->loads && r->format->loads(r, loads);
}

/*
 * Limits the next records to a section: the records from one time on, until before another, or
 * INT64_MAX. READ_END is its end, and then a later section may follow. READ_PROBLEM means that the
 * trace is damaged, and must be read as a whole.
 */
static inline void reader_section(struct reader *r, int64_t from_ns, int64_t until_ns)
{
	r->format->section(r, from_ns, until_ns);
}

/*
 * Sets the place of each stream after the records that were returned, for the `positions` of
 * another reader of the same trace. False if the format cannot be resumed. The caller frees both
 * lists.
 */
static inline bool reader_positions(struct reader *r, struct reader_positions *positions)
{
	if (r->format->positions) {
		r->format->positions(r, positions);
	}
	return r->format->positions != NULL;
}

static inline enum read_result reader_next(struct reader *r, struct record *rec)
{
	return r->next(r, rec);
}

/*
 * Returns the next records while they are plain events, all valid until the next call. Returns
 * their number; 0: call reader_next().
 */
static inline size_t reader_take(struct reader *r, struct record *records, size_t room)
{
	return r->take ? r->take(r, records, room) : 0;
}

/*
 * Returns the next plain events like reader_take(), but may pass those of other classes, up to the
 * last one that it returns if there are `room` of them.
 */
static inline size_t reader_take_of(
	struct reader *r, const struct event_class *class, struct record *records, size_t room)
{
	return r->take_of ? r->take_of(r, class, records, room) : reader_take(r, records, room);
}

/*
 * Passes the next plain events and counts them, in at most `room` runs. Returns the number of runs;
 * 0: call reader_next(). The runs are long if any order of records does.
 */
static inline size_t reader_count(struct reader *r, struct record_tally *runs, size_t room)
{
	return r->count ? r->count(r, runs, room) : 0;
}

/*
 * Returns the next records, plain events or one other, all valid until the next call; 0 if
 * *result is not READ_RECORD.
 */
static inline size_t reader_few(
	struct reader *r, struct record *records, size_t room, enum read_result *result)
{
	size_t count = reader_take(r, records, room);

	*result = count > 0 ? READ_RECORD : reader_next(r, records);
	return count > 0 ? count : *result == READ_RECORD;
}

/* True if a record's pid is known. Captures have 0 if they do not know it. */
static inline bool reader_knows_pid(const struct reader *r, uint32_t trace, uint32_t pid)
{
	const struct reader *own = r->traces[trace].reader ? r->traces[trace].reader : r;

	return r->has_pid && (pid != 0 || !own->format->is_text);
}

/* Returns the arguments of a record whose class has an event, as many as the event has. */
static inline const struct value *reader_values(struct reader *r, const struct record *rec)
{
	return rec->values ? rec->values : r->decode(r, rec);
}

/*
 * Returns the part of the trace that was read, 0 to 1; below 0 if unknown. Too slow for every
 * record.
 */
static inline double reader_progress(const struct reader *r)
{
	return r->format->progress ? r->format->progress(r) : -1;
}

/* Wait of a follower: short while records come, doubling while none come. */
#define PACE_MIN_MS 10u
#define PACE_MAX_MS 100u

struct pace {
	unsigned int ms; /* last wait; 0: none yet */
};

/* Returns the next wait, in milliseconds. */
static inline unsigned int pace_next(struct pace *p, bool something_came)
{
	p->ms = something_came || p->ms == 0 ? PACE_MIN_MS : 2 * p->ms;
	p->ms = p->ms < PACE_MAX_MS ? p->ms : PACE_MAX_MS;
	return p->ms;
}

/* For the formats: initialize and free the shared part, set an error. */
void reader_init(
	struct reader *r, const struct reader_format *format, const struct reader_options *options);
void reader_fini(struct reader *r);
void read_error_set(struct read_error *e, const char *fmt, ...) PRINTF(2, 3);

/* For the formats: sets the error to what failed, and an errno. Returns false. */
bool read_error_because(struct read_error *e, const char *what, int why);

/* Makes room for the values of an event with `count` arguments. */
void reader_reserve_values(struct reader *r, size_t count);

/* Returns the class of that name, bound to `id`, with its event from the declarations. */
struct event_class *reader_add_class(
	struct reader *r, uint64_t id, const char *name, size_t length);

#endif
