/* SPDX-License-Identifier: MIT */
/*
 * The process that records into a jail's buffer, by the open file of the buffer. For the CTF reader
 * and for recovery; for any thread.
 */
#ifndef READ_BUFFER_OWNER_H
#define READ_BUFFER_OWNER_H

#include <stdbool.h>
#include <stdint.h>

/* State of the process of a jail's buffer. */
enum buffer_owner {
	BUFFER_OWNER_NONE, /* no process has claimed it, but one of the family may */
	BUFFER_OWNER_NEVER, /* no process has claimed it, and none will */
	BUFFER_OWNER_LIVES,
	BUFFER_OWNER_GONE,
};

/*
 * Finds the state of the process of a jail's open buffer. *pid is its process when last seen, 0 if
 * never. The call updates it; a later call needs it if the process closes its lock too early.
 */
enum buffer_owner buffer_owner_look(int fd, uint32_t *pid);

/*
 * True if a process without its lock has exited for sure, so that another one may record into its
 * buffer; two would spoil each other's events. False if that is unknown.
 */
bool buffer_owner_is_dead(int fd);

/* True if any process of the family has the buffer open, and may record. */
bool buffer_owner_has_family(int fd);

#endif
