/* SPDX-License-Identifier: MIT */
/*
 * A buffer of a jail, opened by who drains it: the only one but its process that stores
 * into it. What the process says there is not believed beyond the file's own bounds, for a
 * process in a jail may be anybody's by now. One thread.
 */
#ifndef RECOVER_JAIL_BUFFER_H
#define RECOVER_JAIL_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/buffer_jail.h"
#include "read/buffer_owner.h"

struct jail_buffer {
	char *path;
	int fd;
	unsigned char *map;
	uint64_t bytes;
	struct buffer_file *file; /* mapped; may change at any moment */
	struct subbuf *subbufs;
	struct buffer_stack *stacks;
	const char *text; /* the metadata's, `text_room` bytes */
	uint64_t text_room;
	uint32_t units;
	uint8_t uuid[16]; /* by its name, which its process cannot change */
	uint32_t pid; /* of its process, as it was seen last */
};

/*
 * Opens the file. Returns 0 or an errno: EBADMSG where it is no buffer of a jail, ESRCH where it
 * is a buffer, but of no jail.
 */
int jail_buffer_open(struct jail_buffer *a, const char *path);
void jail_buffer_close(struct jail_buffer *a);

/* Whether somebody has cut its file: then what was in it is lost, see recover/cut_memory.h. */
bool jail_buffer_is_cut(const struct jail_buffer *a);

/* Keeps other drains away until it is closed. False: one is at work. */
bool jail_buffer_lock(struct jail_buffer *a);

enum buffer_owner jail_buffer_owner(struct jail_buffer *a);

/*
 * The name of the first process's trace, and that of the buffer's own, as far as one has made
 * it: BUFFER_FILE_PATH_BYTES, whatever stands there.
 */
void jail_buffer_base(const struct jail_buffer *a, char *path);
void jail_buffer_directory(const struct jail_buffer *a, char *path);

/* How much of the metadata's text is there. */
uint64_t jail_buffer_text_bytes(const struct jail_buffer *a);

/* Whether the process is through with the packet at that place of the file. */
bool jail_buffer_is_closed(const struct jail_buffer *a, uint64_t offset);

/* Gives its memory back to the process, and wakes who waits for that. */
void jail_buffer_free(struct jail_buffer *a, uint64_t offset);

/*
 * Lets another process claim it, by a new name, when all of it is in its trace and its process
 * surely is dead; who is killed meanwhile leaves one that is claimed and holds nothing, to be
 * renewed. False where that may not be, or nobody is left who could claim it.
 */
bool jail_buffer_renew(struct jail_buffer *a);

/* Shows that a drain lives. */
void jail_buffer_beat(struct jail_buffer *a);

#endif
