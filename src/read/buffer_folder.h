/* SPDX-License-Identifier: MIT */
/*
 * The folders of buffers: /dev/shm, those that WAYMARK_MEMORY names, or else the /dev/shm of each
 * container on this host, which is found by the roots of running processes. A path that a process
 * noted in its buffer is valid in its own root only. Changes nothing. For any thread.
 */
#ifndef READ_BUFFER_FOLDER_H
#define READ_BUFFER_FOLDER_H

#include <stdbool.h>

#include "base/vec.h"
#include "format/buffer.h"

/*
 * Names more folders of buffers, between colons, instead of those of containers; "": none. Without
 * it, and without BUFFER_SOURCE_VARIABLE, which is for tests, containers are searched, too.
 */
#define BUFFER_FOLDERS_VARIABLE "WAYMARK_MEMORY"

/* What others put into their folders shall not fill this process's memory. */
#define BUFFER_NAMES_MAX 4096u /* buffers in a folder that is not the own one */
#define BUFFER_ENTRIES_MAX 65536u /* entries of any name that are read for them */

struct buffer_names {
	VEC(char *) all; /* sorted */
	bool is_cut; /* there are more */
};

struct buffer_folder {
	char *path; /* on this host */
	bool is_own; /* /dev/shm of this process, or what replaces it */
	VEC(char *) roots; /* of processes that see it, on this host; "": that of this process */
};

struct buffer_folders {
	VEC(struct buffer_folder) all; /* the own one is the first */
	bool is_short; /* some may be missing, for want of descriptors */
};

/*
 * Lists the folders as they are now. The roots of processes are searched again if that cost at
 * most a hundredth of the time since then.
 */
void buffer_folders_find(struct buffer_folders *f);
void buffer_folders_fini(struct buffer_folders *f);

/* Lists the file names of the buffers in a folder. Returns false with errno and an empty list. */
bool buffer_names_list(struct buffer_names *n, const char *folder);
void buffer_names_fini(struct buffer_names *n);

/* Makes a copy of a folder; frees one. */
void buffer_folder_copy(struct buffer_folder *to, const struct buffer_folder *from);
void buffer_folder_fini(struct buffer_folder *f);

/*
 * Writes where an absolute path in a root is on this host. Symbolic links lead to where they do in
 * that root, never out of it; parts that do not exist are taken as they are. The root "" changes
 * nothing. Returns false if the path is too long, or its links lead nowhere.
 */
bool buffer_folder_resolve(char out[BUFFER_FILE_PATH_BYTES], const char *root, const char *path);

/* True if the path goes through the root of another process: realpath() would leave that root. */
bool buffer_folder_is_beyond(const char *path);

/*
 * Opens a path as open(2) does, close-on-exec; -1 with errno. Symbolic links of a path through
 * another process's root never lead out of that root, even if they change meanwhile, and nothing
 * waits for the writer of a FIFO there.
 */
int buffer_folder_open(const char *path, int flags);

#endif
