/* SPDX-License-Identifier: MIT */
/*
 * The arena: one range of addresses that bounds what a recorder buffers, cut
 * into chunks of 1, 4 or 16 units. A chunk holds one packet. Free chunks lie on
 * lock-free stacks (the tag in the head defeats ABA), so taking one is safe in
 * signal handlers; memory never used lies behind a bump pointer.
 *
 * It is a file (format/arena.h) that outlives a kill, or memory of the process.
 * A file's pages are allocated before anything is stored in them, because a
 * store into a full file system is a SIGBUS.
 *
 * Only units that were used, or are about to be, are accessible: a program that
 * locks its memory (mlockall()) gets those resident, and not the whole range.
 *
 * Not inherited by fork: whoever has an arena made it himself, or claimed one that
 * was made for the jail (jail.h).
 */
#ifndef RT_RECORD_ARENA_H
#define RT_RECORD_ARENA_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/arena.h"
#include "format/arena_jail.h"
#include "rt/record/clock.h"

/* Warm chunks have their memory; cold ones gave it back. */
enum { ARENA_WARM, ARENA_COLD, ARENA_HEATS };

struct arena {
	struct arena_file file; /* first: what others read */
	void *state; /* the consumer's, in memory of the process */
	uint32_t units;
	bool is_file;
	char path[ARENA_FILE_PATH_BYTES]; /* of the file */
	struct arena_stack free[ARENA_HEATS][ARENA_CLASSES];
	uint32_t bump __attribute__((aligned(64))); /* the first unit never used */
	uint32_t used; /* units that are handed out */
	uint32_t populated; /* the writer's: units below have memory */
	uint32_t seen; /* the writer's: bump when it looked last */
	struct arena_chunk chunks[]; /* by unit */
};

/* Where an arena's file is to be. */
struct arena_place {
	uint8_t uuid[16]; /* of the trace */
	const char *directory; /* of the trace; NULL: it is not there yet */
	char *path; /* ARENA_FILE_PATH_BYTES of scratch memory; NULL: no file */
	uint64_t text_bytes; /* to be kept behind the tables; 0 but in a jail */
};

/* Makes the path of an arena's file under /dev/shm; false where it is too long. */
bool waymark_arena_shared_path(const struct arena_place *place);

/* The same in the trace's directory, which is there. */
bool waymark_arena_trace_path(const struct arena_place *place);

/* Whether its file lies in the shared folder. */
bool waymark_arena_is_shared(const struct arena *a);

/* What the paths of files there begin with: the folder and the first part of their names. */
const char *waymark_arena_prefix(void);

/* Opens a file without a name in the directory of `path`, of which a kill leaves nothing; or -1. */
int waymark_arena_open_nameless(char *path);

/* Gives such a file its name, when it is whole; replaces nothing. False: errno. */
bool waymark_arena_give_name(int fd, const char *path);

/* The longest file that the process may make: one that becomes longer is a signal. */
uint64_t waymark_arena_file_limit(void);

/* What the header and its tables take of a file of so many bytes. */
uint64_t waymark_arena_tables_bytes(uint64_t bytes);

/* Fills in the header, its magic last: a file without it is none yet. */
void waymark_arena_begin_file(
	struct arena *a, const struct arena_place *place, uint64_t bytes, uint32_t pid);

/*
 * Makes an arena of at most `bytes`, less where there is less room; in memory
 * of the process where no file can be made, with *why then the errno of it,
 * else 0. NULL where there is no memory either. Any thread, any signal handler.
 */
struct arena *waymark_arena_create(
	uint64_t bytes, const struct arena_place *place, uint32_t pid, int *why);

/* All of its memory is free again: of a jail's arena, which another process had before. */
void waymark_arena_renew(struct arena *a);

/* Undoes it. `unlink`: its file, too. */
void waymark_arena_destroy(struct arena *a, bool unlink);

/* Removes the file; the memory stays. */
void waymark_arena_unlink(struct arena *a);

/*
 * Removes what a dead process left of a trace, or with `removes` false only looks; false where
 * one that lives records into it.
 */
bool waymark_arena_remove_dead(const struct arena_place *place, bool removes);

/*
 * Opens the shared file of a dead process in which nothing is left that its trace lacks, and
 * keeps others from it until the descriptor is closed; `place` has scratch memory, which has
 * the path then. -1: it has to stay; with ENOENT there is none.
 */
int waymark_arena_open_dead(const struct arena_place *place);

/* The trace's directory has got its name: the place of the file changes if it lies in there. */
void waymark_arena_set_directory(struct arena *a, const char *directory);

/*
 * The next trace takes it over, to which others come by the file's new name, or by its
 * header where a file in /dev/shm has to keep its name. What they need beside its place is
 * noted before, see arena_next(). Returns 0, or the errno where the file has to stay in the
 * former trace, and nobody finds it; `place` has scratch memory. Who drains.
 */
int waymark_arena_turn(struct arena *a, const struct arena_place *place);

/*
 * Takes a chunk, of `wanted` size if there is one, else of another, its `next`
 * zero. Returns its first unit, 0 when the arena is full. Any thread, any signal handler.
 */
uint32_t waymark_arena_take(struct arena *a, unsigned int wanted);

/* Returns a chunk whose memory is warm. Any thread, any signal handler. */
void waymark_arena_give(struct arena *a, uint32_t unit);

/* The writer, when it has time: gives memory to what will be taken next. */
void waymark_arena_populate(struct arena *a);

/* The writer, when nothing happened for long: gives the memory of free chunks back. */
void waymark_arena_trim(struct arena *a);

/* Notes the clocks' reading for readers of the file. The consumer. */
void waymark_arena_set_clock(struct arena *a, struct clock_pair now);

/* Notes the counts of the process for readers of the file. The consumer. */
void waymark_arena_set_totals(struct arena *a, const struct arena_totals *totals);

static inline char *arena_at(struct arena *a, uint32_t unit)
{
	return (char *)a + unit * ARENA_UNIT;
}

static inline uint32_t arena_class_units(unsigned int size_class)
{
	return 1u << (2 * size_class);
}

static inline size_t arena_chunk_bytes(const struct arena *a, uint32_t unit)
{
	return arena_class_units(a->chunks[unit].size_class) * ARENA_UNIT;
}

/*
 * The stream instance's id in *stream, given out now if that is 0. Its thread and
 * who drains may both be the first to ask.
 */
static inline uint64_t arena_stream_id(struct arena *a, uint64_t *stream)
{
	uint64_t id = __atomic_load_n(stream, __ATOMIC_RELAXED);

	if (id) {
		return id;
	}
	uint64_t fresh = __atomic_add_fetch(&a->file.streams, 1, __ATOMIC_RELAXED);

	return __atomic_compare_exchange_n(
		       stream, &id, fresh, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
		       ? fresh
		       : id;
}

/* Where the trace of now, and that after the next turn, has its place in the header's tables. */
static inline uint32_t arena_now(const struct arena *a)
{
	return a->file.turn % 2;
}

static inline uint32_t arena_next(const struct arena *a)
{
	return (a->file.turn + 1) % 2;
}

/* The counters of a stream that others read; NULL where the table ends before it. */
static inline struct arena_stream *arena_stream(struct arena *a, uint64_t stream)
{
	struct arena_stream *table = (void *)((char *)a + a->file.streams_offset);

	return stream - 1 < ARENA_STREAMS_MAX ? &table[stream - 1] : NULL;
}

#endif
