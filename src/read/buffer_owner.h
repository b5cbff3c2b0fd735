/* SPDX-License-Identifier: MIT */
/*
 * Whether the process of a jail's buffer lives. Its whole family has the file mapped, so
 * flock(2) tells only whether any of them does; a lock of fcntl(2) is its own, see
 * format/buffer_jail.h.
 */
#ifndef READ_BUFFER_OWNER_H
#define READ_BUFFER_OWNER_H

#include <stdbool.h>
#include <stdint.h>

enum buffer_owner {
	BUFFER_OWNER_NONE, /* no process has claimed it, but one of the family may */
	BUFFER_OWNER_NEVER, /* nor will any */
	BUFFER_OWNER_LIVES,
	BUFFER_OWNER_GONE,
};

/*
 * Looks now. `fd` is the open buffer. *pid is of its process, as far as it was seen, 0: never
 * so far; it is kept up here, and tells where the lock is gone too early.
 */
enum buffer_owner buffer_owner_look(int fd, uint32_t *pid);

/*
 * Whether the process whose lock is gone surely is no more, so that another may record into its
 * buffer: one that still did would spoil both. False where that cannot be told.
 */
bool buffer_owner_is_dead(int fd);

/* Whether any of the family has it, and may record. */
bool buffer_owner_has_family(int fd);

#endif
