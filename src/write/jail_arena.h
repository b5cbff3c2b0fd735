/* SPDX-License-Identifier: MIT */
/*
 * An arena of a jail, opened by who drains it: the only one but its process that stores
 * into it. What the process says there is not believed beyond the file's own bounds, for a
 * process in a jail may be anybody's by now. One thread.
 */
#ifndef WRITE_JAIL_ARENA_H
#define WRITE_JAIL_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/arena_jail.h"
#include "read/arena_owner.h"

struct jail_arena {
	char *path;
	int fd;
	unsigned char *map;
	uint64_t bytes;
	struct arena_file *file; /* mapped; may change at any moment */
	struct arena_chunk *chunks;
	struct arena_stack *stacks;
	const char *text; /* the metadata's, `text_room` bytes */
	uint64_t text_room;
	uint32_t units;
	uint8_t uuid[16]; /* by its name, which its process cannot change */
	uint32_t pid; /* of its process, as it was seen last */
};

/*
 * Opens the file. Returns 0 or an errno: EBADMSG where it is no arena of a jail, ESRCH where it
 * is an arena, but of no jail.
 */
int jail_arena_open(struct jail_arena *a, const char *path);
void jail_arena_close(struct jail_arena *a);

/* Whether somebody has cut its file: then what was in it is lost, see write/cut_memory.h. */
bool jail_arena_is_cut(const struct jail_arena *a);

/* Keeps other drains away until it is closed. False: one is at work. */
bool jail_arena_lock(struct jail_arena *a);

enum arena_owner jail_arena_owner(struct jail_arena *a);

/*
 * The name of the first process's trace, and that of the arena's own, as far as one has made
 * it: ARENA_FILE_PATH_BYTES, whatever stands there.
 */
void jail_arena_base(const struct jail_arena *a, char *path);
void jail_arena_directory(const struct jail_arena *a, char *path);

/* How much of the metadata's text is there. */
uint64_t jail_arena_text_bytes(const struct jail_arena *a);

/* Whether the process is through with the packet at that place of the file. */
bool jail_arena_is_closed(const struct jail_arena *a, uint64_t offset);

/* Gives its memory back to the process, and wakes who waits for that. */
void jail_arena_free(struct jail_arena *a, uint64_t offset);

/*
 * Lets another process claim it, by a new name, when all of it is in its trace and its process
 * surely is dead; who is killed meanwhile leaves one that is claimed and holds nothing, to be
 * renewed. False where that may not be, or nobody is left who could claim it.
 */
bool jail_arena_renew(struct jail_arena *a);

/* Shows that a drain lives. */
void jail_arena_beat(struct jail_arena *a);

#endif
