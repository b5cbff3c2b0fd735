/* SPDX-License-Identifier: MIT */
/*
 * Whether the process of a jail's arena lives. Its whole family has the file mapped, so
 * flock(2) tells only whether any of them does; a lock of fcntl(2) is its own, see
 * format/arena_jail.h.
 */
#ifndef READ_ARENA_OWNER_H
#define READ_ARENA_OWNER_H

#include <stdbool.h>
#include <stdint.h>

enum arena_owner {
	ARENA_OWNER_NONE, /* no process has claimed it, but one of the family may */
	ARENA_OWNER_NEVER, /* nor will any */
	ARENA_OWNER_LIVES,
	ARENA_OWNER_GONE,
};

/*
 * Looks now. `fd` is the open arena. *pid is of its process, as far as it was seen, 0: never
 * so far; it is kept up here, and tells where the lock is gone too early.
 */
enum arena_owner arena_owner_look(int fd, uint32_t *pid);

/*
 * Whether the process whose lock is gone surely is no more, so that another may record into its
 * arena: one that still did would spoil both. False where that cannot be told.
 */
bool arena_owner_is_dead(int fd);

/* Whether any of the family has it, and may record. */
bool arena_owner_has_family(int fd);

#endif
