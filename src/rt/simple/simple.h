/* SPDX-License-Identifier: MIT */
/*
 * The consumer's side of the sink `simple`: turns records of packets into records of a simpletrace
 * file, version 4. Only the consumer may call these functions, unless a comment says otherwise.
 *
 *	input --> encoder (one an event, compiled from its entry) --> batch --> file
 *
 * A file calls only those below it:
 *
 *	simple.c    the sink, as control calls see it
 *	hold.c      the name is not final yet
 *	family.c    the same for a fork
 *	drain.c     the consumer
 *	input.c     a cursor's records
 *	encode.c    a record of a packet becomes one of the file
 *	file.c      writes batches
 *	open.c      opens the file
 *	state.c     what control calls want; this process's state
 */
#ifndef RT_SIMPLE_SIMPLE_H
#define RT_SIMPLE_SIMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <waymark/control.h>

#include "format/simple.h"
#include "rt/record/clock.h"
#include "rt/record/cursor.h"
#include "rt/event/registry.h"

/* The bytes of one write; at least one longest record fits with its mapping. */
#define SIMPLE_BATCH_BYTES (UINT64_C(512) << 10)

/* A record with the longest arguments, and the longest mapping before it, is smaller. */
#define SIMPLE_RECORD_ROOM (UINT64_C(96) << 10)

/* Bytes of a directory, a name and what may be appended. */
#define SIMPLE_PATH_BYTES 4200u

/* Room before the records of a batch, for a note of losses that must come first. */
#define SIMPLE_GAP_BYTES (sizeof(uint64_t) + sizeof(struct simple_record) + sizeof(uint64_t))

struct simple_encoder;
struct simple_input;

/* A named file. Immutable once published, and never freed, because the consumer may hold it. */
struct simple_config {
	const struct simple_config *previous;
	uint32_t pid; /* of the process that named it; its forked children derive names */
	bool held; /* the name may change: an existing file is neither emptied nor replaced */
	bool goes_on; /* the former configuration's file has this name by now */
	bool shared; /* several processes of a family append to it */
	bool empty; /* it was just created or emptied, and has its header */
	uint64_t device;
	uint64_t inode;
	char path[]; /* "": the default file */
};

static inline bool simple_is_named(const struct simple_config *config)
{
	return config && config->path[0];
}

static inline bool simple_is_shared(const struct simple_config *config)
{
	return config && config->shared;
}

/* The open file. */
struct simple_file {
	int fd_plus_one; /* 0: closed, so that all zero is a valid start */
	bool regular;
	bool begun; /* it has its header, and is continued when reopened; written atomically */
	uint32_t number; /* of the derived name; 0 is the plain name */
	uint64_t size; /* of whole records that stay */
	uint64_t note; /* bytes after them, which the next batch replaces */
	uint64_t boundary; /* some bytes before the end: a record begins here */
	uint64_t device;
	uint64_t inode;
};

struct simple_out {
	struct clock_segment clock;
	const struct simple_config *config; /* for which the file was opened */
	bool off; /* as last read by the consumer */
	uint32_t pid;
	uint32_t generation; /* of mappings, which another file needs again */
	struct simple_file file;
	uint64_t unwritten; /* drained events that the file did not take */
	uint64_t unreported; /* unwritten events that no note in the file reports yet */
	int error; /* errno of the last attempt to write; 0: it succeeded */
	uint32_t complained; /* errors reported on standard error, by class */
	uint64_t retry_ns; /* when to try to open again */
	uint64_t progress; /* count of system calls that returned, for threads that wait */
	struct simple_pool {
		char *pos;
		char *end;
	} pool;
	struct simple_encoder *encoders[REGISTRY_IDS_MAX];
	char path[SIMPLE_PATH_BYTES]; /* of the file that is being opened */
	size_t fill; /* bytes of whole records, after SIMPLE_GAP_BYTES of room */
	char batch[SIMPLE_GAP_BYTES + SIMPLE_BATCH_BYTES];
};

/* Call at the beginning of a pass: applies what control calls have changed. */
void waymark_simple_sync(struct simple_out *out);

/*
 * Encodes a cursor's records until its known end or the first that is later than `limit` ticks.
 * Returns how many it encoded.
 */
uint64_t waymark_simple_run(struct simple_out *out, struct simple_input *in, uint64_t limit);

/* Encodes a note that `count` events are missing here. */
void waymark_simple_gap(struct simple_out *out, uint64_t count, uint64_t ns);

/* Writes the batch. */
void waymark_simple_write(struct simple_out *out);

static inline bool simple_has_batch(const struct simple_out *out)
{
	return out->fill > 0;
}

/*
 * Opens the file. Returns false if it cannot be opened, or was emptied or replaced, so that a batch
 * for the old file is invalid.
 */
bool waymark_simple_open(struct simple_out *out);

/* Continues a file that was closed. Returns false if it is gone or was changed. */
bool waymark_simple_continue(struct simple_out *out);

/* Call before changing to another file, which needs a header and every event's name again. */
void waymark_simple_forget(struct simple_out *out);

/* Opens the same file for reading. Returns a descriptor, which the caller closes, or -1. */
int waymark_simple_open_again(struct simple_out *out);

/* Notes an error, and reports it once for each file. */
enum simple_complaint { SIMPLE_CANNOT_OPEN = 1, SIMPLE_CANNOT_WRITE = 2 };

void waymark_simple_complain(struct simple_out *out, enum simple_complaint what, int error);

static inline int simple_fd(const struct simple_out *out)
{
	return out->file.fd_plus_one - 1;
}

/* Closes the file; the next write opens it again and appends. */
void waymark_simple_pause(struct simple_out *out);

/*
 * Checks that the file can be opened for `config`; creates and empties a named file. Returns 0, or
 * -1 with the reason.
 */
int waymark_simple_prepare(struct simple_config *config, struct waymark_error *error);

/*
 * Lets other processes append to the file as well; nothing in it can be cut or replaced from then
 * on. The consumer.
 */
void waymark_simple_share_file(struct simple_out *out);

/*
 * See struct waymark_sink; waymark_simple_take_along() is set_file() if the present file can get
 * the name.
 */
void waymark_simple_hold(const char *path);
void waymark_simple_share(void);
void waymark_simple_release(void);
bool waymark_simple_take_along(struct simple_config *config);

/* Stores a configuration, with room for a path, for the next fork; returns the former one. */
struct simple_config *waymark_simple_swap_spare(struct simple_config *config);

/* Returns true if this process, or one that forked it, has a file for the held configuration. */
bool waymark_simple_has_file(const struct simple_config *config);

/* Continues in the present file, which has the new path already. */
void waymark_simple_go_on(
	struct simple_config *config, const struct simple_config *before, bool is_held);

/* Returns a configuration whose path has `room` bytes, all zero; NULL if memory runs out. */
struct simple_config *waymark_simple_new_config(const char *path, size_t room);

/* As the recorder sees it; in a jail it records nothing. */
extern const struct consumer waymark_consumer_simple;
extern const struct consumer waymark_consumer_simple_jail;

#endif
