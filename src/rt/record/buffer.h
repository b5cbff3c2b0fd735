/* SPDX-License-Identifier: MIT */
/*
 * The buffer: one range of addresses that bounds what a recorder buffers, cut into sub-buffers of
 * 1, 4 or 16 units. A sub-buffer holds one packet. Free sub-buffers are on lock-free stacks (the
 * tag in the head prevents ABA), so taking one is safe in signal handlers. Memory that was never
 * used is above a bump pointer.
 *
 * * It is a file (format/buffer.h) that outlives a kill, or memory of the process. A file's pages
 * are allocated before anything is stored in them, because a store into a full file system raises
 * SIGBUS.
 *
 * * Most threads record little. A small sub-buffer gets its first pages only, and the others when
 *   its packet needs them.
 *
 * * Only units that were used, or are about to be, are accessible, so that in a program that locks
 * its memory (mlockall()) only those become resident, not the whole range.
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

/* Bytes of the unit in which memory is given; a multiple of the kernel's pages of 4 KiB. */
#define BUFFER_PAGE ((size_t)4096)

/*
 * Free sub-buffers: warm ones have all of their memory, begun ones the first part of it, cold ones
 * none. The drain of a jail pushes to the warm ones.
 */
enum { BUFFER_WARM, BUFFER_BEGUN, BUFFER_COLD, BUFFER_HEATS };

/* Memory that the writer makes ready above the bump pointer, while a count grows. */
struct ahead {
	uint32_t ready; /* units below have it; by release */
	uint32_t seen; /* the count when the writer last read it */
};

struct buffer {
	struct buffer_file file; /* first: the part that other processes read */
	void *state; /* the consumer's, in memory of the process */
	uint32_t units;
	bool is_file;
	uint32_t first_bytes; /* memory that a small sub-buffer of a file has at first */
	char path[BUFFER_FILE_PATH_BYTES]; /* of the file */
	struct buffer_stack free[BUFFER_HEATS][BUFFER_CLASSES];
	uint32_t bump __attribute__((aligned(64))); /* the first unit never used */
	uint32_t used; /* units that are in use */
	uint32_t filled; /* units that threads took, or filled, as a whole; modulo 2^32 */
	struct ahead whole; /* all memory of the units; follows `filled` */
	struct ahead begun; /* the first pages of each unit; follows `bump` */
	struct subbuf subbufs[] __attribute__((aligned(8))); /* by unit; aligned for the drain */
};

/* The place of a buffer's file. */
struct buffer_place {
	uint8_t uuid[16]; /* of the trace */
	const char *directory; /* of the trace; NULL: it does not exist yet */
	char *path; /* BUFFER_FILE_PATH_BYTES of scratch memory; NULL: no file */
	uint64_t text_bytes; /* reserved after the tables for declarations; 0 except in a jail */
	bool in_trace; /* not in the shared folder */
};

/* Makes the path of a buffer's file under /dev/shm; returns false if it is too long. */
bool waymark_buffer_shared_path(const struct buffer_place *place);

/*
 * Returns the beginning of the paths of files there: the folder and the first part of their names.
 */
const char *waymark_buffer_prefix(void);

/*
 * Opens a file without a name, of which a kill leaves nothing, in the directory of `path`. Returns
 * -1, with errno, on failure.
 */
int waymark_buffer_open_nameless(char *path);

/*
 * Gives such a file its name, once it is complete; replaces nothing. Returns false, with errno, on
 * failure.
 */
bool waymark_buffer_give_name(int fd, const char *path);

/* Returns the bytes that options set for a buffer, or `otherwise`. */
uint64_t waymark_buffer_bytes(uint64_t otherwise);

/* Returns what a new small sub-buffer of a file gets first: a few pages, at most a unit. */
uint32_t waymark_buffer_first_bytes(void);

/* Returns the longest file that the process may make; a longer one raises SIGXFSZ. */
uint64_t waymark_buffer_file_limit(void);

/* Returns the bytes of the header and its tables in a file of `bytes`. */
uint64_t waymark_buffer_tables_bytes(uint64_t bytes);

/* Fills in the header, the magic last, because a file without magic is no buffer yet. */
void waymark_buffer_begin_file(
	struct buffer *b, const struct buffer_place *place, uint64_t bytes, uint32_t pid);

/*
 * Makes a buffer of at most `bytes`, less if there is less room. If no file can be made, makes it
 * in memory of the process and sets *why to the errno; otherwise *why is 0. Returns NULL if there
 * is no memory either. Any thread, any signal handler.
 */
struct buffer *waymark_buffer_create(
	uint64_t bytes, const struct buffer_place *place, uint32_t pid, int *why);

/* Frees all of its memory again: for a jail's buffer that another process had before. */
void waymark_buffer_renew(struct buffer *b);

/* Unmaps the buffer. `unlink`: also removes its file. */
void waymark_buffer_destroy(struct buffer *b, bool unlink);

/* Removes the file; the mapping stays. */
void waymark_buffer_unlink(struct buffer *b);

/*
 * Removes the leftover of a trace or, if `removes` is false, only looks for it. Returns false if a
 * living process records into it.
 */
bool waymark_buffer_remove_dead(const struct buffer_place *place, bool removes);

/*
 * Opens the shared file of a dead process if its trace has everything in it, and locks it until the
 * descriptor is closed. `place` has scratch memory, which gets the path. Returns -1 if the file
 * must stay; with ENOENT if there is none.
 */
int waymark_buffer_open_dead(const struct buffer_place *place);

/* Call when the trace's directory has its name: the path of a file in the directory changes. */
void waymark_buffer_set_directory(struct buffer *b, const char *directory);

/*
 * Gives the buffer to the next trace. Readers find it by the file's new name, or by its header if a
 * file in /dev/shm must keep its name. Everything else that they need is stored before, see
 * buffer_next(). Returns 0; or an errno if the file must stay in the former trace, where no reader
 * finds it. `place` has scratch memory. The consumer.
 */
int waymark_buffer_turn(struct buffer *b, const struct buffer_place *place);

/*
 * Takes a sub-buffer with memory for its first `bytes`, at most a unit, and zeroes its `next`. It
 * has size `wanted` if there is one, otherwise another size. Returns its first unit; 0 if the
 * buffer is full. Any thread, any signal handler.
 */
uint32_t waymark_buffer_take(struct buffer *b, unsigned int wanted, size_t bytes);

/*
 * Gives the sub-buffer memory for its first `bytes`. Returns false if there is none. The thread
 * that has it, any signal handler.
 */
bool waymark_buffer_fill(struct buffer *b, uint32_t unit, size_t bytes);

/* Gives back a sub-buffer, which keeps its memory. Any thread, any signal handler. */
void waymark_buffer_give(struct buffer *b, uint32_t unit);

/*
 * Returns true if `most` units are in use, or if threads have taken so many new ones since
 * waymark_buffer_populate() that those with memory may run out. Any thread, any signal handler.
 */
bool waymark_buffer_runs_low(const struct buffer *b, uint32_t most);

/* Gives memory to the sub-buffers that will be taken next. The writer calls it when it has time. */
void waymark_buffer_populate(struct buffer *b);

/* Gives the memory of free sub-buffers back. The writer calls it when nothing happened for long. */
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

/* Returns the bytes at its start that have memory. */
static inline size_t subbuf_filled(const struct buffer *b, uint32_t unit)
{
	return subbuf_bytes(b, unit) - b->subbufs[unit].missing * BUFFER_PAGE;
}

/*
 * Returns the stream instance's id in *stream, which is assigned now if that is 0. The thread and
 * the consumer may both be the first to call this.
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

/*
 * Return the index, in the header's tables, of the current trace and of the one after the next
 * turn.
 */
static inline uint32_t buffer_now(const struct buffer *b)
{
	return b->file.turn % 2;
}

static inline uint32_t buffer_next(const struct buffer *b)
{
	return (b->file.turn + 1) % 2;
}

/* Returns the counters of a stream that others read; NULL if the table is too short for it. */
static inline struct buffer_stream *buffer_stream(struct buffer *b, uint64_t stream)
{
	struct buffer_stream *table = (void *)((char *)b + b->file.streams_offset);

	return stream - 1 < BUFFER_STREAMS_MAX ? &table[stream - 1] : NULL;
}

#endif
