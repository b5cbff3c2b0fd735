/* SPDX-License-Identifier: MIT */
/*
 * The buffer: one range of addresses that bounds what a recorder buffers, cut into sub-buffers of
 * 1, 4 or 16 units. A sub-buffer holds one packet. Free sub-buffers lie on lock-free stacks (the
 * tag in the head defeats ABA), so taking one is safe in signal handlers; memory never used lies
 * above a bump pointer.
 *
 * * It is a file (format/buffer.h) that outlives a kill, or memory of the process. A file's pages
 * are allocated before anything is stored in them, because a store into a full file system is a
 * SIGBUS.
 *
 * * Only units that were used, or are about to be, are accessible: a program that locks its memory
 * (mlockall()) gets those resident, and not the whole range.
 *
 * * A fork does not inherit it: a process makes its own buffer, or claims one that was made for the
 * jail (jail.h).
 */
#ifndef RT_RECORD_BUFFER_H
#define RT_RECORD_BUFFER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/buffer.h"
#include "format/buffer_jail.h"
#include "rt/record/clock.h"

/* Warm sub-buffers have their memory; cold ones gave it back. */
enum { BUFFER_WARM, BUFFER_COLD, BUFFER_HEATS };

struct buffer {
	struct buffer_file file; /* first: what others read */
	void *state; /* the consumer's, in memory of the process */
	uint32_t units;
	bool is_file;
	char path[BUFFER_FILE_PATH_BYTES]; /* of the file */
	struct buffer_stack free[BUFFER_HEATS][BUFFER_CLASSES];
	uint32_t bump __attribute__((aligned(64))); /* the first unit never used */
	uint32_t used; /* units that are handed out */
	uint32_t populated; /* the writer's: units below have memory */
	uint32_t seen; /* the writer's: bump when it looked last */
	struct subbuf subbufs[]; /* by unit */
};

/* The place of a buffer's file. */
struct buffer_place {
	uint8_t uuid[16]; /* of the trace */
	const char *directory; /* of the trace; NULL: it is not there yet */
	char *path; /* BUFFER_FILE_PATH_BYTES of scratch memory; NULL: no file */
	uint64_t text_bytes; /* reserved after the tables for declarations; 0 but in a jail */
	bool in_trace; /* not in the shared folder */
};

/* Makes the path of a buffer's file under /dev/shm; false where it is too long. */
bool waymark_buffer_shared_path(const struct buffer_place *place);

/* The begin of the paths of files there: the folder and the first part of their names. */
const char *waymark_buffer_prefix(void);

/* Opens a file without a name in the directory of `path`; a kill leaves nothing of it. Or -1. */
int waymark_buffer_open_nameless(char *path);

/* Gives such a file its name, once it is complete; replaces nothing. False: errno. */
bool waymark_buffer_give_name(int fd, const char *path);

/* The bytes that options set for a buffer, else `otherwise`. */
uint64_t waymark_buffer_bytes(uint64_t otherwise);

/* The longest file that the process may make; a longer one raises SIGXFSZ. */
uint64_t waymark_buffer_file_limit(void);

/* The bytes that the header and its tables take of a file of `bytes`. */
uint64_t waymark_buffer_tables_bytes(uint64_t bytes);

/* Fills in the header, its magic last: a file without it is none yet. */
void waymark_buffer_begin_file(
	struct buffer *b, const struct buffer_place *place, uint64_t bytes, uint32_t pid);

/*
 * Makes a buffer of at most `bytes`, less where there is less room; in memory
 * of the process where no file can be made, with *why then the errno of it,
 * else 0. NULL where there is no memory either. Any thread, any signal handler.
 */
struct buffer *waymark_buffer_create(
	uint64_t bytes, const struct buffer_place *place, uint32_t pid, int *why);

/* All of its memory is free again: of a jail's buffer, which another process had before. */
void waymark_buffer_renew(struct buffer *b);

/* Unmaps it. `unlink`: removes its file, too. */
void waymark_buffer_destroy(struct buffer *b, bool unlink);

/* Removes the file; the mapping stays. */
void waymark_buffer_unlink(struct buffer *b);

/*
 * Removes the leftover of a trace, or with `removes` false only looks for it. Returns false
 * where a process that lives records into it.
 */
bool waymark_buffer_remove_dead(const struct buffer_place *place, bool removes);

/*
 * Opens the shared file of a dead process in which nothing is left that its trace lacks, and
 * keeps others from it until the descriptor is closed; `place` has scratch memory, which has
 * the path then. -1: it has to stay; with ENOENT there is none.
 */
int waymark_buffer_open_dead(const struct buffer_place *place);

/* The trace's directory has got its name: the place of the file changes if it lies in there. */
void waymark_buffer_set_directory(struct buffer *b, const char *directory);

/*
 * The next trace takes it over. Others find it by the file's new name, or by its header where a
 * file in /dev/shm has to keep its name. What they need beside its place is noted before, see
 * buffer_next(). Returns 0, or the errno where the file has to stay in the former trace, and no
 * reader finds it; `place` has scratch memory. The consumer.
 */
int waymark_buffer_turn(struct buffer *b, const struct buffer_place *place);

/*
 * Takes a sub-buffer, of `wanted` size if there is one, else of another, its `next`
 * zero. Returns its first unit, 0 when the buffer is full. Any thread, any signal handler.
 */
uint32_t waymark_buffer_take(struct buffer *b, unsigned int wanted);

/* Returns a sub-buffer whose memory is warm. Any thread, any signal handler. */
void waymark_buffer_give(struct buffer *b, uint32_t unit);

/* The writer, when it has time: gives memory to what will be taken next. */
void waymark_buffer_populate(struct buffer *b);

/* The writer, when nothing happened for long: gives the memory of free sub-buffers back. */
void waymark_buffer_trim(struct buffer *b);

/* Notes the clocks' reading for readers of the file. The consumer. */
void waymark_buffer_set_clock(struct buffer *b, struct clock_pair now);

/* Notes the counts of the process for readers of the file. The consumer. */
void waymark_buffer_set_totals(struct buffer *b, const struct buffer_totals *totals);

static inline char *buffer_at(struct buffer *b, uint32_t unit)
{
	return (char *)b + unit * BUFFER_UNIT;
}

static inline uint32_t buffer_class_units(unsigned int size_class)
{
	return 1u << (2 * size_class);
}

static inline size_t subbuf_bytes(const struct buffer *b, uint32_t unit)
{
	return buffer_class_units(b->subbufs[unit].size_class) * BUFFER_UNIT;
}

/*
 * The stream instance's id in *stream, given out now if that is 0. Its thread and
 * the consumer may both be the first to ask.
 */
static inline uint64_t buffer_stream_id(struct buffer *b, uint64_t *stream)
{
	uint64_t id = __atomic_load_n(stream, __ATOMIC_RELAXED);

	if (id) {
		return id;
	}
	uint64_t fresh = __atomic_add_fetch(&b->file.streams, 1, __ATOMIC_RELAXED);

	return __atomic_compare_exchange_n(
		       stream, &id, fresh, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
		       ? fresh
		       : id;
}

/* The index of the current trace, and of the one after the next turn, in the header's tables. */
static inline uint32_t buffer_now(const struct buffer *b)
{
	return b->file.turn % 2;
}

static inline uint32_t buffer_next(const struct buffer *b)
{
	return (b->file.turn + 1) % 2;
}

/* The counters of a stream that others read; NULL where the table ends before it. */
static inline struct buffer_stream *buffer_stream(struct buffer *b, uint64_t stream)
{
	struct buffer_stream *table = (void *)((char *)b + b->file.streams_offset);

	return stream - 1 < BUFFER_STREAMS_MAX ? &table[stream - 1] : NULL;
}

#endif
