/* SPDX-License-Identifier: MIT */
/*
 * A jail's buffer, mapped by its drain, the only process besides its own that stores into it
 * (format/buffer_jail.h). No offset or size that the process wrote is used beyond the file's
 * bounds, as an attacker may control a process in a jail. One thread.
 */
#ifndef RECOVER_JAIL_BUFFER_H
#define RECOVER_JAIL_BUFFER_H

#include <stdbool.h>
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
	const char *text; /* text of the metadata, `text_room` bytes */
	uint64_t text_room;
	uint32_t units;
	uint8_t uuid[16]; /* from its name, which its process cannot change */
	uint32_t pid; /* its process when last seen */
};

/*
 * Opens the file. Returns 0 or an errno: EBADMSG if it is no buffer, ESRCH if it is not a jail's.
 */
int jail_buffer_open(struct jail_buffer *a, const char *path);
void jail_buffer_close(struct jail_buffer *a);

/*
 * True if the file was truncated: the data beyond its new end are lost, see
 * leftover_survive_cuts().
 */
bool jail_buffer_is_cut(const struct jail_buffer *a);

/* Keeps other drains out until the buffer is closed. Returns false if another one has it. */
bool jail_buffer_lock(struct jail_buffer *a);

enum buffer_owner jail_buffer_owner(struct jail_buffer *a);

/*
 * Writes the name of the first process's trace, and of the buffer's own trace once that was made,
 * to BUFFER_FILE_PATH_BYTES. The process may have written any text there.
 */
void jail_buffer_base(const struct jail_buffer *a, char *path);
void jail_buffer_directory(const struct jail_buffer *a, char *path);

/* Returns the present length of the metadata's text, in bytes. */
uint64_t jail_buffer_text_bytes(const struct jail_buffer *a);

/* True if the process has closed the packet at that offset of the file. */
bool jail_buffer_is_closed(const struct jail_buffer *a, uint64_t offset);

/* Returns the packet's memory to the process, and wakes the threads that wait for memory. */
void jail_buffer_free(struct jail_buffer *a, uint64_t offset);

/*
 * Lets another process claim the buffer, under a new name. Call when everything in it is in its
 * trace. If this process is killed meanwhile, the buffer is claimed and empty, and can be renewed
 * again. Returns false if its process may still live, or if no process is left to claim it.
 */
bool jail_buffer_renew(struct jail_buffer *a);

/* Shows that a drain is alive. */
void jail_buffer_beat(struct jail_buffer *a);

/* ---- The trace directory ---- */

/*
 * The trace directory of a jail's buffer. The drain or a recovery makes it for the process, which
 * cannot open files: with the metadata from the buffer, and the name that the process would have
 * used. After that it is a native trace like any other. One thread, one process at a time.
 */

/*
 * Makes the directory unless it exists, in the folder `place`, or where the process wanted it if
 * that is NULL, and stores its name in the buffer. `directory` (BUFFER_FILE_PATH_BYTES) gets the
 * name, since the process can change the one in the buffer at any time. Returns 0 or an errno, and
 * `directory` is then the first process's trace; EAGAIN means that nothing was declared yet.
 */
int jail_trace_make(struct jail_buffer *a, const char *place, char *directory);

/* Makes the directory for the buffer at `path`. */
int jail_trace_make_at(const char *path, const char *place, char *directory);

/*
 * Appends the declarations that the metadata in the folder `directory` lacks. Returns 0 or an
 * errno. *changed: some were missing.
 */
int jail_trace_append_metadata(const struct jail_buffer *a, int directory, bool *changed);

#endif
