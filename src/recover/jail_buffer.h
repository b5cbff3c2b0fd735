/* SPDX-License-Identifier: MIT */
/*
 * A jail's buffer, mapped by its drain, which besides its process is the only one that stores into
 * it (format/buffer_jail.h). No offset or size that the process wrote is used beyond the file's
 * bounds: an attacker may control a process in a jail. One thread.
 */
#ifndef RECOVER_JAIL_BUFFER_H
#define RECOVER_JAIL_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/buffer_jail.h"
#include "read/buffer.h"

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
	uint8_t uuid[16]; /* from its name, which its process cannot change */
	uint32_t pid; /* of its process, when last looked at */
};

/* Opens the file. Returns 0 or an errno; EBADMSG: it is no buffer; ESRCH: it is of no jail. */
int jail_buffer_open(struct jail_buffer *a, const char *path);
void jail_buffer_close(struct jail_buffer *a);

/* True where the file was cut: what was behind its end is lost, see leftover_survive_cuts(). */
bool jail_buffer_is_cut(const struct jail_buffer *a);

/* Keeps other drains out until it is closed. False: another one has it. */
bool jail_buffer_lock(struct jail_buffer *a);

enum buffer_owner jail_buffer_owner(struct jail_buffer *a);

/*
 * The name of the first process's trace, and of the buffer's own once that was made, into
 * BUFFER_FILE_PATH_BYTES. The process can have written anything there.
 */
void jail_buffer_base(const struct jail_buffer *a, char *path);
void jail_buffer_directory(const struct jail_buffer *a, char *path);

/* Bytes of the metadata's text so far. */
uint64_t jail_buffer_text_bytes(const struct jail_buffer *a);

/* True where the process has closed the packet at that offset of the file. */
bool jail_buffer_is_closed(const struct jail_buffer *a, uint64_t offset);

/* Gives the packet's memory back to the process, and wakes the threads that wait for memory. */
void jail_buffer_free(struct jail_buffer *a, uint64_t offset);

/*
 * Lets another process claim the buffer, under a new name. Call when all of it is in its trace. If
 * this is killed meanwhile, the buffer is claimed and empty, and can be renewed again. False where
 * its process may still live, or no process is left that could claim it.
 */
bool jail_buffer_renew(struct jail_buffer *a);

/* Shows that a drain lives. */
void jail_buffer_beat(struct jail_buffer *a);

#endif
