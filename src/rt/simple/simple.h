/* SPDX-License-Identifier: MIT */
/*
 * The consumer's side of the sink `simple`: turns records of packets into
 * records of a simpletrace file, version 4. Only the consumer may call, unless a
 * function says otherwise.
 *
 *	input --> encoder (one an event, compiled from its entry) --> batch --> file
 *
 * A file calls only those below it:
 *
 *	simple.c    the sink: what control calls ask for
 *	hold.c      the name is not final yet
 *	family.c    the same when a fork comes
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

/* A record with the longest arguments and the longest mapping before it stays below. */
#define SIMPLE_RECORD_ROOM (UINT64_C(96) << 10)

/* Directory, name and what may be put behind it. */
#define SIMPLE_PATH_BYTES 4200u

/* An open file has its records behind this room, for a gap that must come first. */
#define SIMPLE_GAP_BYTES (sizeof(uint64_t) + sizeof(struct simple_record) + sizeof(uint64_t))

struct simple_encoder;
struct simple_input;

/* A named file. Immutable once published and never freed: the consumer may hold it. */
struct simple_config {
	const struct simple_config *previous;
	uint32_t pid; /* of the process that named it; its forked children derive names */
	bool held; /* another name may come: an existing file is neither emptied nor replaced */
	bool goes_on; /* the file of the configuration before has this name by now */
	bool shared; /* processes of one family append to it */
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
	uint32_t number; /* of the derived name: 0 is the bare one */
	uint64_t size; /* of whole records that stay */
	uint64_t note; /* bytes behind them, which the next batch replaces */
	uint64_t boundary; /* some bytes before the end: a record begins here */
	uint64_t device;
	uint64_t inode;
};

struct simple_out {
	struct clock_segment clock;
	const struct simple_config *config; /* the one that the file was opened for */
	bool off; /* as far as the drain has seen */
	uint32_t pid;
	uint32_t generation; /* of mappings: another file needs them again */
	struct simple_file file;
	uint64_t unwritten; /* events that were drained, and the file did not take */
	uint64_t unreported; /* unwritten events that no note in the file reports yet */
	int error; /* errno of the last attempt to write, 0 when it went well */
	uint32_t complained; /* errors said on standard error, by class */
	uint64_t retry_ns; /* when to try to open again */
	uint64_t progress; /* system calls that returned, for threads that wait */
	struct simple_pool {
		char *pos;
		char *end;
	} pool;
	struct simple_encoder *encoders[REGISTRY_IDS_MAX];
	char path[SIMPLE_PATH_BYTES]; /* of the file that is being opened */
	size_t fill; /* bytes of whole records, behind SIMPLE_GAP_BYTES of room */
	char batch[SIMPLE_GAP_BYTES + SIMPLE_BATCH_BYTES];
};

/* At the begin of a pass: obeys what control calls have changed meanwhile. */
void waymark_simple_sync(struct simple_out *out);

/*
 * Encodes a cursor's records until its known end or the first that is later
 * than `limit` ticks. Returns how many.
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
 * Opens the file. Returns false when it cannot be opened, or was emptied or replaced, so that a
 * batch for the old one is void.
 */
bool waymark_simple_open(struct simple_out *out);

/* Goes on with a file that was closed. False when it is not there as it was left. */
bool waymark_simple_continue(struct simple_out *out);

/* Another file comes: it needs a header, and every event's name again. */
void waymark_simple_forget(struct simple_out *out);

/* The same file for reading, whose descriptor the caller closes; -1 when there is none. */
int waymark_simple_open_again(struct simple_out *out);

/* Notes an error, and has it said once for each file. */
enum simple_complaint { SIMPLE_CANNOT_OPEN = 1, SIMPLE_CANNOT_WRITE = 2 };

void waymark_simple_complain(struct simple_out *out, enum simple_complaint what, int error);

static inline int simple_fd(const struct simple_out *out)
{
	return out->file.fd_plus_one - 1;
}

/* Closes the file; the next write opens it again and appends. */
void waymark_simple_pause(struct simple_out *out);

/* True if the file can be opened for `config`; creates and empties a named one. */
int waymark_simple_prepare(struct simple_config *config, struct waymark_error *error);

/*
 * True if other processes append to the file: then nothing in it can be cut or replaced. The
 * consumer.
 */
void waymark_simple_share_file(struct simple_out *out);

/* See struct waymark_sink; and set_file(), where the present file can have the name. */
void waymark_simple_hold(const char *path);
void waymark_simple_share(void);
void waymark_simple_release(void);
bool waymark_simple_take_along(struct simple_config *config);

/* Stores a configuration, with room for a path, for the next fork; returns the one before. */
struct simple_config *waymark_simple_swap_spare(struct simple_config *config);

/* True if this process, or one that forked it, has a file for the configuration, which is held. */
bool waymark_simple_has_file(const struct simple_config *config);

/* Goes on in the present file, which has the new path already. */
void waymark_simple_go_on(
	struct simple_config *config, const struct simple_config *before, bool is_held);

/* A configuration whose path has `room` bytes, which are zero; NULL without memory. */
struct simple_config *waymark_simple_new_config(const char *path, size_t room);

#endif
