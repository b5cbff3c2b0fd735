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
 * Link with `pkg-config --libs waymark-reader`. A reader stands at one record at
 * a time; everything a function returns by pointer belongs to the reader and is
 * valid until the next waymark_reader_next(), names until waymark_reader_close().
 *
 * Threads: different readers may be used by different threads at the same time;
 * one reader by one thread at a time. Nothing here prints. Memory that runs out
 * ends the program with a message. Compiles as C99 and C++11.
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

/* What waymark_reader_next() found: records are positive, what is wrong is negative. */
enum waymark_read {
	WAYMARK_READ_END = 0,
	WAYMARK_READ_EVENT = 1,
	WAYMARK_READ_GAP = 2, /* events were lost here: waymark_reader_lost() */
	WAYMARK_READ_NOTHING = 3, /* of a trace that is followed: nothing came in the time given */
	WAYMARK_READ_PROBLEM = -1, /* one record makes no sense; go on with the next */
	WAYMARK_READ_DAMAGED = -2 /* nothing can be read from here on */
};

/* What a field holds. */
enum waymark_field {
	WAYMARK_FIELD_UNSIGNED = 0,
	WAYMARK_FIELD_SIGNED = 1,
	WAYMARK_FIELD_POINTER = 2,
	WAYMARK_FIELD_STRING = 3,
	WAYMARK_FIELD_FLOAT = 4,
	WAYMARK_FIELD_BYTES = 5, /* of Rust's [u8]: no text */
	WAYMARK_FIELD_DEBUG = 6 /* of `&dyn fmt::Debug`: what it is, each event says */
};

/*
 * Opens a trace. `path`: a file, a directory (the native format), or "-" for
 * standard input. `declarations`: the file of the events' declarations (trace-events-all, or
 * TOML, where its name ends in .toml), or a directory, whose files *.toml are read in the order
 * of their names; NULL when there is none: then events of traces that do not describe themselves
 * have no fields. On failure returns NULL and puts the reason, a line that ends in NUL, into
 * `error`, which has `error_size` bytes and may be NULL.
 */
struct waymark_reader *waymark_reader_open(
	const char *path, const char *declarations, char *error, size_t error_size);

/*
 * The same for `count` traces, at least one, whose records come in the order of
 * time: that since the boot of the first one's host, by which the others are
 * shifted where both tell the time of day and are not of the same boot.
 */
struct waymark_reader *waymark_reader_open_several(const char *const *paths, size_t count,
	const char *declarations, char *error, size_t error_size);

/* What waymark_reader_open_with() is told; all zero but `size` is waymark_reader_open_several(). */
struct waymark_reader_options {
	size_t size; /* sizeof(struct waymark_reader_options) */
	const char *declarations; /* a file or a directory, or NULL */
	/*
	 * Not 0: a native trace whose program runs does not end where it ends now.
	 * What is recorded is read from the program's memory, within 200 ms, and the
	 * program is not disturbed. Files that are no pipes are refused.
	 */
	int follow;
	int only_new; /* not 0, with follow: only what is recorded from now on */
	int wait_ms; /* how long waymark_reader_next() waits for a record; below 0: for ever */
};

/* The same with options. */
struct waymark_reader *waymark_reader_open_with(const char *const *paths, size_t count,
	const struct waymark_reader_options *options, char *error, size_t error_size);

/*
 * Ends following: what is there now is the last that waymark_reader_next() returns
 * before END. Any thread, any signal handler, as long as the reader is open.
 */
void waymark_reader_stop(struct waymark_reader *r);

/* waymark_reader_open() for a descriptor, which the reader reads from its position on and does not
 * close. */
struct waymark_reader *waymark_reader_open_fd(
	int fd, const char *declarations, char *error, size_t error_size);

/* Ends reading and frees everything the reader returned. NULL is allowed. */
void waymark_reader_close(struct waymark_reader *r);

/*
 * Goes to the next record; returns an enum waymark_read. After PROBLEM and
 * DAMAGED, waymark_reader_error() says what and where; after END and DAMAGED,
 * every further call returns the same.
 */
int waymark_reader_next(struct waymark_reader *r);

/* What was wrong at the last PROBLEM or DAMAGED: one line with byte offsets; else "". */
const char *waymark_reader_error(const struct waymark_reader *r);

/* Of every record: */

/* Nanoseconds since the traced host booted (its CLOCK_MONOTONIC). */
uint64_t waymark_reader_time(const struct waymark_reader *r);

/* The process, and the thread, that recorded it; 0 where the trace does not say. */
uint32_t waymark_reader_pid(const struct waymark_reader *r);
uint32_t waymark_reader_tid(const struct waymark_reader *r);

/* Nanoseconds since 1970 (the host's CLOCK_REALTIME); 0 where the trace does not say. */
uint64_t waymark_reader_realtime(const struct waymark_reader *r);

/* Which of the traces that were opened it is from, from 0. */
size_t waymark_reader_trace(const struct waymark_reader *r);

/* The name of the host, and of the program, that recorded it; "" where the trace does not say. */
const char *waymark_reader_host(const struct waymark_reader *r);
const char *waymark_reader_process(const struct waymark_reader *r);

/* Where the record begins in the trace (of a directory: in the thread's file), in bytes. */
uint64_t waymark_reader_offset(const struct waymark_reader *r);

/* Of a gap: how many events are missing here; 0 for an event. */
uint64_t waymark_reader_lost(const struct waymark_reader *r);

/*
 * How many of these a flight recorder (full=overwrite) gave up for newer ones; the
 * others found no room. A trace may not tell them apart: waymark-print(1).
 */
uint64_t waymark_reader_overwritten(const struct waymark_reader *r);

/* Of a gap: how many packets are missing here, of whose events nobody knows the number. */
uint64_t waymark_reader_lost_packets(const struct waymark_reader *r);

/* Of an event; a gap has the name "", the index SIZE_MAX and no fields: */

/* The event's name. The same pointer for every record of the same event. */
const char *waymark_reader_name(const struct waymark_reader *r);

/* A small number for the event's name and declaration, from 0: an index for your own tables. */
size_t waymark_reader_event_index(const struct waymark_reader *r);

/* The line that the event's format makes of its fields; its length in `length` unless NULL. */
const char *waymark_reader_message(struct waymark_reader *r, size_t *length);

/* How many fields the event has. */
size_t waymark_reader_field_count(const struct waymark_reader *r);

/* The index of the field of that name, -1 when the event has none. */
int waymark_reader_field_find(const struct waymark_reader *r, const char *name);

/*
 * Of the field with that index, below waymark_reader_field_count(): its name;
 * its declared type; an enum waymark_field. NULL, or -1, for another index.
 */
const char *waymark_reader_field_name(const struct waymark_reader *r, size_t field);
const char *waymark_reader_field_type(const struct waymark_reader *r, size_t field);
int waymark_reader_field_kind(const struct waymark_reader *r, size_t field);

/*
 * The field's value as a number, cut and sign-extended to its declared type, of 128 bits the low
 * half; of a float what is left without its fraction, in range; 0 for strings and bytes and for an
 * index that the event does not have.
 */
uint64_t waymark_reader_u64(struct waymark_reader *r, size_t field);
int64_t waymark_reader_i64(struct waymark_reader *r, size_t field);

/*
 * The high 64 bits of the same as an integer of 128 bits:
 * sign-extended where it is a signed one.
 */
uint64_t waymark_reader_high64(struct waymark_reader *r, size_t field);

/* The field's value as a float: of integers the nearest one, of what is no number 0. */
double waymark_reader_double(struct waymark_reader *r, size_t field);

/*
 * The field's bytes, which need not be text and do not end in NUL, and their
 * number in `length`; of a field of WAYMARK_FIELD_DEBUG the text that Rust's {:?} makes of it,
 * whatever it is. NULL and 0 for a string that was NULL where the format
 * records that (simpletrace does not), for numbers and for other indexes.
 */
const char *waymark_reader_string(struct waymark_reader *r, size_t field, size_t *length);

#ifdef __cplusplus
}
#endif

#endif
