/* SPDX-License-Identifier: MIT */
/*
 * One trace, read record by record, whatever its format: reader.c has the table
 * of formats. A reader never prints; it returns an error as text with a byte
 * offset. One thread a reader.
 */
#ifndef READ_READER_H
#define READ_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/classes.h"
#include "read/input.h"
#include "read/record.h"

enum read_result {
	READ_RECORD, /* the record is filled in */
	READ_END, /* the whole trace was read */
	READ_PROBLEM, /* one record is wrong; the next call goes on behind it */
	READ_DAMAGED, /* nothing can be read from here on */
	READ_NOTHING, /* of a followed trace: no record is there now */
};

/* How to go on at the end of a native trace whose process lives. */
enum reader_follow {
	FOLLOW_NOT, /* READ_END */
	FOLLOW_ALL, /* READ_NOTHING; a later call looks for new records */
	FOLLOW_NEW, /* the same, without the records from before the trace was opened */
};

/* Why a trace or record could not be read: one line, without control characters. */
struct read_error {
	char text[512];
	bool is_mismatch; /* a record contradicts its declaration */
	/* of a file of a native trace, below the trace's directory; 0: it is none, or unknown */
	unsigned int depth;
};

struct reader_options {
	const struct model *declarations; /* NULL: none; lives longer than the reader */
	bool no_header; /* the file begins with its first record */
	/*
	 * Called, unless NULL, before a wait for a pipe's next bytes, and again when a signal
	 * interrupts the wait: time to show what was read. False ends the trace.
	 */
	bool (*on_wait)(void *data);
	/* Called, unless NULL, for each of several traces that cannot be read; the others are. */
	void (*on_unreadable)(void *data, const char *path, const struct read_error *error);
	void *data; /* for both */
	enum reader_follow follow;
};

struct reader;

struct reader_format {
	const char *name;
	const char *release; /* what people call its version, or NULL */
	bool is_text; /* without version and byte order; with threads, not always with processes */
	/* Opens a directory, and leaves the descriptor alone; NULL: no trace is a directory. */
	struct reader *(*open_directory)(
		int fd, const struct reader_options *options, struct read_error *error);
	/* True if the input begins as this format does. */
	bool (*detect)(struct input *in);
	/* Takes the input over, unless it fails and returns NULL. */
	struct reader *(*open)(
		struct input *in, const struct reader_options *options, struct read_error *error);
	void (*close)(struct reader *r);
	/* For reader_progress(); NULL: it is never known. */
	double (*progress)(const struct reader *r);
};

/* The formats, each in the folder of its name. */
extern const struct reader_format reader_ctf;
extern const struct reader_format reader_kernel;
extern const struct reader_format reader_simple;

/* The meaning of the state `unfinished`. */
#define READ_UNFINISHED \
	"its process did not end it, and its memory is not here: the last events are missing"

/* One trace of a reader, and its process; "" and 0 if it does not say. */
struct trace_info {
	const char *path; /* as it was given; NULL: the only one */
	const struct reader *reader; /* its own; NULL: the only one */
	const char *hostname;
	const char *boot_id;
	const char *procname;
	uint32_t pid;
	bool has_realtime;
	/* added to a record's `ns`, modulo 2^64, makes nanoseconds since 1970 */
	uint64_t realtime;
	uint64_t freq; /* of its clock, ticks a second */
	size_t streams;
	size_t streams_gone; /* without any packet left, as far as it is known */
	bool is_live; /* its process still writes */
	bool has_leftovers; /* a part is still in memory, and its process has ended */
	const char *state; /* as in waymark-info(1), as far as files tell; NULL: unknown */
	const char *why; /* of the state `unwritten`: why its process could not write the rest */
	bool is_cut; /* its metadata ends inside a declaration */
};

/* The shared part of readers; a format's own reader begins with it. */
struct reader {
	const struct reader_format *format;
	enum read_result (*next)(struct reader *r, struct record *rec);
	size_t (*take)(struct reader *r, struct record *records, size_t room); /* NULL: it cannot */
	const struct value *(*decode)(struct reader *r, const struct record *rec);
	struct class_table classes;
	const struct model *declarations;
	struct value *values; /* room for the arguments of each class */
	size_t value_capacity;
	unsigned int version;
	bool swap; /* the trace's byte order is not this host's */
	enum value_form form; /* of its values and payloads */
	bool has_pid; /* its records have a pid */
	const struct trace_info *traces; /* by record.trace */
	size_t trace_count;
	bool is_stopped; /* see reader_stop() */
	int64_t horizon; /* at READ_NOTHING: no later record is older, in ns */
	bool has_hosts; /* the traces are of several hosts */
	struct read_error error; /* of the last READ_PROBLEM or READ_DAMAGED */
};

/* Opens a trace; "-" is standard input. NULL on failure, with the reason in `error`. */
struct reader *reader_open(
	const char *path, const struct reader_options *options, struct read_error *error);

/* The same for a descriptor, which the caller closes after the reader. */
struct reader *reader_open_fd(
	int fd, const struct reader_options *options, struct read_error *error);
void reader_close(struct reader *r);

/* True if an input begins as a trace of any format known here; takes nothing from it. */
bool reader_is_trace(struct input *in);

/* Ends following: the records that are there now are the last. Any thread, async-signal-safe. */
static inline void reader_stop(struct reader *r)
{
	__atomic_store_n(&r->is_stopped, true, __ATOMIC_RELAXED);
}

static inline bool reader_is_stopped(const struct reader *r)
{
	return __atomic_load_n(&r->is_stopped, __ATOMIC_RELAXED);
}

static inline enum read_result reader_next(struct reader *r, struct record *rec)
{
	return r->next(r, rec);
}

/*
 * Takes the next records as long as they are plain events; all of them are valid until the next
 * call. Returns their number; 0: call reader_next().
 */
static inline size_t reader_take(struct reader *r, struct record *records, size_t room)
{
	return r->take ? r->take(r, records, room) : 0;
}

/* True if a record's pid is known: captures know it of some records only, and have 0 else. */
static inline bool reader_knows_pid(const struct reader *r, uint32_t trace, uint32_t pid)
{
	const struct reader *own = r->traces[trace].reader ? r->traces[trace].reader : r;

	return r->has_pid && (pid != 0 || !own->format->is_text);
}

/* The arguments of a record whose class has an event, as many as the event has. */
static inline const struct value *reader_values(struct reader *r, const struct record *rec)
{
	return rec->values ? rec->values : r->decode(r, rec);
}

/* The part of the trace that was read, 0 to 1; below 0 if unknown. Not for every record. */
static inline double reader_progress(const struct reader *r)
{
	return r->format->progress ? r->format->progress(r) : -1;
}

/* How long a follower waits: short while records come, longer and longer while none do. */
#define PACE_MIN_MS 10u
#define PACE_MAX_MS 100u

struct pace {
	unsigned int ms; /* of the last wait; 0: none yet */
};

/* The next wait, in milliseconds. */
static inline unsigned int pace_next(struct pace *p, bool something_came)
{
	p->ms = something_came || p->ms == 0 ? PACE_MIN_MS : 2 * p->ms;
	p->ms = p->ms < PACE_MAX_MS ? p->ms : PACE_MAX_MS;
	return p->ms;
}

/* For the formats: begin and end the shared part, set an error. */
void reader_init(
	struct reader *r, const struct reader_format *format, const struct reader_options *options);
void reader_fini(struct reader *r);
void read_error_set(struct read_error *e, const char *fmt, ...) PRINTF(2, 3);

/* Makes room for the values of an event with `count` arguments. */
void reader_reserve_values(struct reader *r, size_t count);

/* The class of that name, bound to `id`, with its event from the declarations. */
struct event_class *reader_add_class(
	struct reader *r, uint64_t id, const char *name, size_t length);

#endif
