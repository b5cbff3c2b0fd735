/* SPDX-License-Identifier: MIT */
/*
 * waymark/reader.h - reading traces from a program of your own.
 *
 *	char error[512];
 *	struct waymark_reader *r = waymark_reader_open("my.trace", "trace-events-all",
 *			error, sizeof(error));
 *	int what;
 *
 *	if (!r) {
 *		fprintf(stderr, "%s\n", error);
 *		return 1;
 *	}
 *	while ((what = waymark_reader_next(r)) != WAYMARK_READ_END) {
 *		if (what == WAYMARK_READ_EVENT) {
 *			printf("%s\n", waymark_reader_message(r, NULL));
 *		} else if (what < 0) {
 *			fprintf(stderr, "%s\n", waymark_reader_error(r));
 *		}
 *		if (what == WAYMARK_READ_DAMAGED) {
 *			break;
 *		}
 *	}
 *	waymark_reader_close(r);
 *
 * Link with `pkg-config --libs waymark-reader`. A reader has one current record. Memory returned by
 * pointer belongs to the reader and is valid until waymark_reader_next(), waymark_reader_columns()
 * or waymark_reader_seek(), names until waymark_reader_close().
 *
 * Different threads may use different readers at the same time, but only one thread at a time may
 * use a reader. Nothing here prints, except that the program ends with a message if memory runs
 * out. Compiles as C99 and C++11.
 */
#ifndef WAYMARK_READER_H
#define WAYMARK_READER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An open trace. */
struct waymark_reader;

/* Results of waymark_reader_next(): records are positive, errors negative. */
enum waymark_read {
	WAYMARK_READ_END = 0,
	WAYMARK_READ_EVENT = 1,
	WAYMARK_READ_GAP = 2, /* events were lost here: waymark_reader_lost() */
	WAYMARK_READ_NOTHING = 3, /* when following: no record came within wait_ms */
	WAYMARK_READ_PROBLEM = -1, /* one record is invalid; the next may be read */
	WAYMARK_READ_DAMAGED = -2 /* nothing can be read from here on */
};

/* The kind of a field. */
enum waymark_field {
	WAYMARK_FIELD_UNSIGNED = 0,
	WAYMARK_FIELD_SIGNED = 1,
	WAYMARK_FIELD_POINTER = 2,
	WAYMARK_FIELD_STRING = 3,
	WAYMARK_FIELD_FLOAT = 4,
	WAYMARK_FIELD_BYTES = 5, /* Rust's [u8]: not text */
	WAYMARK_FIELD_DEBUG = 6 /* `&dyn fmt::Debug`: each event has its own type */
};

/*
 * Opens a trace. `path` is a file, a directory (the native format), or "-" for standard input.
 * `declarations` is a file with the events' declarations (trace-events-all, or TOML if its name
 * ends in .toml), or a directory whose files *.toml are read in the order of their names. If it is
 * NULL, events of traces that do not describe themselves have no fields. On failure returns NULL
 * and writes the reason, one line, to `error`, which has `error_size` bytes and may be NULL.
 */
struct waymark_reader *waymark_reader_open(
	const char *path, const char *declarations, char *error, size_t error_size);

/*
 * Opens `count` traces, at least one, whose records are returned in the order of time. Times count
 * from the boot of the first trace's host. Times of another trace are shifted to these by the time
 * of day if both traces have one and are not of the same boot.
 */
struct waymark_reader *waymark_reader_open_several(const char *const *paths, size_t count,
	const char *declarations, char *error, size_t error_size);

/*
 * Options of waymark_reader_open_with(); with all of them zero but `size` it does what
 * waymark_reader_open_several() does.
 */
struct waymark_reader_options {
	size_t size; /* sizeof(struct waymark_reader_options) */
	const char *declarations; /* a file or a directory, or NULL */
	/*
	 * Not 0: follow a native trace of a running program. New events are read from the program's
	 * memory within 200 ms, without disturbing it. Files other than pipes are refused.
	 */
	int follow;
	int only_new; /* not 0, with follow: only events recorded from now on */
	int wait_ms; /* how long waymark_reader_next() waits for a record; negative: for ever */
	/*
	 * Returns only events for which this is true, and gaps: an expression on the fields, as
	 * "bytes > 64K && ret < 0", see waymark-expressions(7). NULL: all events.
	 */
	const char *where;
	/*
	 * The selection, which the reader uses to leave out whole packets and events that are not
	 * wanted. Names and patterns of events, as of `waymark print --event`; a leading `-`
	 * excludes. The list ends with NULL; NULL: all events.
	 */
	const char *const *events;
	const uint32_t *pids; /* of these processes; pid_count 0: all */
	size_t pid_count;
	const uint32_t *tids; /* of these threads; tid_count 0: all */
	size_t tid_count;
	uint64_t from_ns; /* from this time on, as of waymark_reader_time(); 0: from the first
			     record */
	uint64_t to_ns; /* up to this time, included; 0: to the last record */
};

/* Does what waymark_reader_open_several() does, with options. */
struct waymark_reader *waymark_reader_open_with(const char *const *paths, size_t count,
	const struct waymark_reader_options *options, char *error, size_t error_size);

/*
 * Ends following: waymark_reader_next() returns the events recorded by now, then WAYMARK_READ_END.
 * Any thread, any signal handler, while the reader is open.
 */
void waymark_reader_stop(struct waymark_reader *r);

/*
 * Opens a trace as waymark_reader_open() does, from a descriptor: reads from its current position
 * and does not close it.
 */
struct waymark_reader *waymark_reader_open_fd(
	int fd, const char *declarations, char *error, size_t error_size);

/* Closes the reader and frees all that it returned. NULL is allowed. */
void waymark_reader_close(struct waymark_reader *r);

/*
 * What the traces are and declare, before the first record: native traces declare all events that
 * they have so far; those of other formats are known from their first record on. The caller sets
 * `size` of a struct to its size; these functions fill in the rest and return 0, or -1 if there is
 * no such trace, event or field. Texts are valid until the reader is closed.
 */
struct waymark_trace_info {
	size_t size; /* sizeof(struct waymark_trace_info) */
	const char *path;
	const char *process; /* its name; "" if unknown */
	const char *host; /* "" if unknown */
	const char *
		state; /* as in waymark-info(1): "running", "ended", "killed", ...; "" if unknown */
	uint64_t realtime; /* added to a time makes nanoseconds since 1970; 0 if unknown */
	uint32_t pid; /* 0 if unknown */
	uint32_t streams; /* of a native trace: about one for each thread */
};

struct waymark_event_info {
	size_t size; /* sizeof(struct waymark_event_info) */
	const char *name;
	const char *format; /* as declared; NULL: none */
	size_t fields; /* their number */
};

struct waymark_field_info {
	size_t size; /* sizeof(struct waymark_field_info) */
	const char *name;
	const char *type; /* as declared */
	const char *unit; /* of `@unit`; NULL: none */
	int kind; /* enum waymark_field */
	int is_key; /* not 0: names an object (`@key`) */
	int is_flags; /* not 0: bits have names (`@flags`) */
};

/* Returns the number of traces; a folder of traces counts as those in it. */
size_t waymark_reader_trace_count(const struct waymark_reader *r);
int waymark_reader_trace_info(
	const struct waymark_reader *r, size_t trace, struct waymark_trace_info *info);

/* Returns the number of events; each has the index that waymark_reader_event_index() returns. */
size_t waymark_reader_event_count(const struct waymark_reader *r);
int waymark_reader_event_info(
	const struct waymark_reader *r, size_t event, struct waymark_event_info *info);
int waymark_reader_field_info(const struct waymark_reader *r, size_t event, size_t field,
	struct waymark_field_info *info);

/* Returns the declared name of a value, or of a single bit; NULL if it has none. */
const char *waymark_reader_value_name(
	const struct waymark_reader *r, size_t event, size_t field, uint64_t value);

/*
 * What a native trace tells without reading its events: the threads that recorded, and when. No
 * record is outside of these times, except that a running program goes on.
 */
struct waymark_thread_info {
	size_t size; /* sizeof(struct waymark_thread_info) */
	uint64_t first_ns; /* as waymark_reader_time() */
	uint64_t last_ns;
	uint32_t tid;
	uint32_t trace; /* index of the trace */
};

/* Returns the number of threads; 0 if a trace shows them only with its records. */
size_t waymark_reader_thread_count(struct waymark_reader *r);
int waymark_reader_thread_info(
	struct waymark_reader *r, size_t thread, struct waymark_thread_info *info);

/*
 * Moves before the first record at or after a time, as of waymark_reader_time(), in either
 * direction: the next call of waymark_reader_next() returns that record. Opens the traces anew, and
 * passes packets by their headers. Returns 0, or -1 for a trace that is followed, read from a
 * descriptor or a pipe, or cannot be opened any more: the reader stays where it is then. Event
 * indexes remain if the traces declare their events. Names that were returned stay valid; many
 * seeks need no more memory and descriptors than one.
 */
int waymark_reader_seek(struct waymark_reader *r, uint64_t ns);

/* Columns that every event has, in place of the index of a field. */
enum waymark_column_common {
	WAYMARK_COLUMN_TIME = -1, /* as waymark_reader_time() */
	WAYMARK_COLUMN_PID = -2,
	WAYMARK_COLUMN_TID = -3,
	WAYMARK_COLUMN_TRACE = -4
};

/*
 * One column of a batch. Each array that is not NULL is filled, and has `room` entries: integers
 * as of waymark_reader_u64(), doubles as of waymark_reader_double(), texts. A text need not end in
 * NUL and is NULL for numbers and for Rust's objects; its length goes to `lengths`, unless that is
 * NULL. Texts are valid until the next call. A field that the event does not have is 0 and NULL.
 */
struct waymark_column {
	int field; /* index of the field, or enum waymark_column_common */
	uint64_t *integers;
	double *doubles;
	const char **texts;
	size_t *lengths;
};

struct waymark_columns {
	const struct waymark_column *columns;
	size_t count;
	size_t room; /* entries of each array, at least 1 */
};

/*
 * Reads the next events of one kind into arrays, and passes others: name it in `events` of the
 * options to leave them out faster. Returns WAYMARK_READ_EVENT and the number of events in
 * *filled, after which the reader has no current record; if there are none before a gap, a problem
 * or the end, does what waymark_reader_next() does, without waiting, and sets *filled to 0. A call
 * may return fewer events than fit.
 */
int waymark_reader_columns(
	struct waymark_reader *r, size_t event, const struct waymark_columns *to, size_t *filled);

/*
 * Moves to the next record and returns an enum waymark_read. After PROBLEM and DAMAGED,
 * waymark_reader_error() describes the error; after END and DAMAGED, further calls return the same.
 */
int waymark_reader_next(struct waymark_reader *r);

/* Returns the error of the last PROBLEM or DAMAGED, one line with byte offsets; otherwise "". */
const char *waymark_reader_error(const struct waymark_reader *r);

/* For every record: */

/* Returns nanoseconds since the traced host booted (its CLOCK_MONOTONIC). */
uint64_t waymark_reader_time(const struct waymark_reader *r);

/* Return the process and the thread that recorded it; 0 if unknown. */
uint32_t waymark_reader_pid(const struct waymark_reader *r);
uint32_t waymark_reader_tid(const struct waymark_reader *r);

/* Returns nanoseconds since 1970 (the host's CLOCK_REALTIME); 0 if unknown. */
uint64_t waymark_reader_realtime(const struct waymark_reader *r);

/* Returns the index of its trace among those opened, from 0. */
size_t waymark_reader_trace(const struct waymark_reader *r);

/* Return the names of the host and of the program that recorded it; "" if unknown. */
const char *waymark_reader_host(const struct waymark_reader *r);
const char *waymark_reader_process(const struct waymark_reader *r);

/* Returns the record's offset in bytes in the trace; for a directory, in the thread's file. */
uint64_t waymark_reader_offset(const struct waymark_reader *r);

/* Returns the number of lost events for a gap, 0 for an event. */
uint64_t waymark_reader_lost(const struct waymark_reader *r);

/*
 * Returns how many of the lost events were overwritten by newer ones (full=overwrite); the others
 * found no room. Some traces do not distinguish the two, see waymark-print(1).
 */
uint64_t waymark_reader_overwritten(const struct waymark_reader *r);

/* Returns, for a gap, the number of lost packets whose number of events is unknown. */
uint64_t waymark_reader_lost_packets(const struct waymark_reader *r);

/* For events; a gap has the name "", the index SIZE_MAX and no fields: */

/* Returns the event's name: the same pointer for every record of the same event. */
const char *waymark_reader_name(const struct waymark_reader *r);

/*
 * Returns a small number for the event's name and declaration, from 0: an index for your own
 * tables.
 */
size_t waymark_reader_event_index(const struct waymark_reader *r);

/*
 * Returns the event's message: its format with its fields. `length`, unless NULL, gets its length.
 */
const char *waymark_reader_message(struct waymark_reader *r, size_t *length);

/* Returns the number of fields of the event. */
size_t waymark_reader_field_count(const struct waymark_reader *r);

/* Returns the index of the field of that name, or -1. */
int waymark_reader_field_find(const struct waymark_reader *r, const char *name);

/*
 * Return the field's name, its declared type, and its enum waymark_field. NULL, or -1, for an index
 * that is not below waymark_reader_field_count().
 */
const char *waymark_reader_field_name(const struct waymark_reader *r, size_t field);
const char *waymark_reader_field_type(const struct waymark_reader *r, size_t field);
int waymark_reader_field_kind(const struct waymark_reader *r, size_t field);

/*
 * Returns the field's value as a number, cut and sign-extended to its declared type: of 128 bits
 * the low half, of a float the whole part, clamped to the range. Returns 0 for strings, bytes and
 * invalid indexes.
 */
uint64_t waymark_reader_u64(struct waymark_reader *r, size_t field);
int64_t waymark_reader_i64(struct waymark_reader *r, size_t field);

/*
 * Returns the high 64 bits of the value as an integer of 128 bits, sign-extended if it is signed.
 */
uint64_t waymark_reader_high64(struct waymark_reader *r, size_t field);

/*
 * Returns the field's value as a double, for an integer the nearest one; 0 if it is not a number.
 */
double waymark_reader_double(struct waymark_reader *r, size_t field);

/*
 * Returns the field's bytes, which need not be text and do not end in NUL; `length` gets their
 * number. For WAYMARK_FIELD_DEBUG returns the text of Rust's {:?}. Returns NULL, and the length 0,
 * for numbers, invalid indexes, and a string that was NULL if the trace format records that
 * (simpletrace does not).
 */
const char *waymark_reader_string(struct waymark_reader *r, size_t field, size_t *length);

#ifdef __cplusplus
}
#endif

#endif
