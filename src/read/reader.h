/* SPDX-License-Identifier: MIT */
/*
 * One trace, read record by record, whatever its format: the formats stand in
 * one table in reader.c. A reader never prints; what is wrong with a trace
 * comes back as text with a byte offset. One thread a reader.
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
	READ_END, /* all of the trace was read */
	READ_PROBLEM, /* one record makes no sense; the next one may */
	READ_DAMAGED, /* nothing can be read from here on */
	READ_NOTHING, /* of a trace that is followed: nothing more is there now */
};

/* What is done at the end of a native trace whose process lives. */
enum reader_follow {
	FOLLOW_NOT, /* it is the end */
	FOLLOW_ALL, /* READ_NOTHING, and a call later on looks for what came since */
	FOLLOW_NEW, /* the same, without what was there when it was opened */
};

/* Why something could not be read: one line, free of control characters. */
struct read_error {
	char text[512];
	bool is_mismatch; /* a record contradicts its declaration */
	unsigned int
		depth; /* of the file, a part of a native trace, in that; 0: none, or unknown */
};

struct reader_options {
	const struct model *declarations; /* NULL: none; lives longer than the reader */
	bool no_header; /* the file begins with its first record */
	/*
	 * Called, unless NULL, before a wait for a pipe's next bytes, and again where a signal
	 * interrupts that: time to show what is there. False: nobody wants more.
	 */
	bool (*on_wait)(void *data);
	/* Called, unless NULL, for each of several traces that cannot be read: the others are. */
	void (*on_unreadable)(void *data, const char *path, const struct read_error *error);
	void *data; /* for both */
	enum reader_follow follow;
};

struct reader;

struct reader_format {
	const char *name;
	const char *release; /* what people call its version, or NULL */
	bool is_text; /* has neither version nor byte order, and tells threads, not always processes
		       */
	/* Opens a trace that is a directory, and leaves the descriptor alone; NULL: none is. */
	struct reader *(*open_directory)(
		int fd, const struct reader_options *options, struct read_error *error);
	/* Whether the input is of this format, told by what it begins with. */
	bool (*detect)(struct input *in);
	/* Takes the input over, unless it fails and returns NULL. */
	struct reader *(*open)(
		struct input *in, const struct reader_options *options, struct read_error *error);
	void (*close)(struct reader *r);
	/* What reader_progress() says; NULL: it is never known. */
	double (*progress)(const struct reader *r);
};

/* The formats, each in the folder of its name. */
extern const struct reader_format reader_ctf;
extern const struct reader_format reader_kernel;
extern const struct reader_format reader_simple;

/* What the state `unfinished` means. */
#define READ_UNFINISHED \
	"its process did not end it, and its memory is not here: the last events are missing"

/* One trace of a reader, and whose it is; "" and 0 where it does not say. */
struct trace_info {
	const char *path; /* as it was named; NULL: the only one */
	const struct reader *reader; /* of its own, whose format it has; NULL: the only one */
	const char *hostname;
	const char *boot_id;
	const char *procname;
	uint32_t pid;
	bool has_realtime;
	/* What makes a record's `ns` nanoseconds since 1970, to be added modulo 2^64. */
	uint64_t realtime;
	uint64_t freq; /* of its clock, ticks a second */
	size_t streams;
	size_t streams_gone; /* of whose packets none is left, as far as it is known */
	bool is_live; /* its process still writes */
	bool has_leftovers; /* a part of it is still where a process that died left it */
	const char *state; /* as waymark-info(1) lists them, as far as files tell; NULL: nothing */
	const char *why; /* of the state `unwritten`: why its process could not write the rest */
	bool is_cut; /* its metadata ends inside a declaration */
};

/* What readers of all formats share; a format's own reader begins with it. */
struct reader {
	const struct reader_format *format;
	enum read_result (*next)(struct reader *r, struct record *rec);
	size_t (*take)(struct reader *r, struct record *records, size_t room); /* NULL: it cannot */
	const struct value *(*decode)(struct reader *r, const struct record *rec);
	struct class_table classes;
	const struct model *declarations;
	struct value *values; /* room for the arguments of any class */
	size_t value_capacity;
	unsigned int version;
	bool swap; /* the trace's byte order is not this host's */
	enum value_form form; /* of its values and payloads */
	bool has_pid; /* records say which process they are from */
	const struct trace_info *traces; /* by record.trace */
	size_t trace_count;
	bool is_stopped; /* see reader_stop() */
	int64_t horizon; /* at READ_NOTHING: what comes later is from then on, in ns */
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

/* Whether an input begins as a trace of any format known here; takes nothing from it. */
bool reader_is_trace(struct input *in);

/* By who follows, in whatever thread or handler: what is there now is all that is wanted. */
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
 * The next records, as long as they are plain events that lie ready; all of them are
 * valid until the next call. 0: reader_next() has the next record, or says what there is.
 */
static inline size_t reader_take(struct reader *r, struct record *records, size_t room)
{
	return r->take ? r->take(r, records, room) : 0;
}

/* Whether that is the process of a record of the trace: captures tell it of some only, by 0. */
static inline bool reader_knows_pid(const struct reader *r, uint32_t trace, uint32_t pid)
{
	const struct reader *own = r->traces[trace].reader ? r->traces[trace].reader : r;

	return r->has_pid && (pid != 0 || !own->format->is_text);
}

/* The arguments of an event whose class knows them, as many as its event has. */
static inline const struct value *reader_values(struct reader *r, const struct record *rec)
{
	return rec->values ? rec->values : r->decode(r, rec);
}

/* Which part of the trace was read, 0 to 1; below 0 where nobody knows. For now and then. */
static inline double reader_progress(const struct reader *r)
{
	return r->format->progress ? r->format->progress(r) : -1;
}

/* For the formats: begins and ends the shared part, and words an error. */
void reader_init(
	struct reader *r, const struct reader_format *format, const struct reader_options *options);
void reader_fini(struct reader *r);
void read_error_set(struct read_error *e, const char *fmt, ...) PRINTF(2, 3);

/* Makes room for the values of an event with so many arguments. */
void reader_reserve_values(struct reader *r, size_t count);

/* The class of that name, bound to `id`; with what the declarations know of it. */
struct event_class *reader_add_class(
	struct reader *r, uint64_t id, const char *name, size_t length);

#endif
