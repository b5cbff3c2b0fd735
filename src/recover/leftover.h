/* SPDX-License-Identifier: MIT */
/*
 * Leftovers and buffers in use: the buffer files under /dev/shm, also in containers
 * (read/buffer_folder.h), with their user, process and trace. Buffers inside of their traces are
 * not listed. Changes nothing. Any process, any thread.
 */
#ifndef RECOVER_LEFTOVER_H
#define RECOVER_LEFTOVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/vec.h"
#include "format/buffer.h"
#include "read/buffer.h"

enum leftover_state {
	LEFTOVER_UNKNOWN, /* the file cannot be read, or is no buffer */
	LEFTOVER_ALIVE, /* its process has it mapped */
	LEFTOVER_DEAD,
};

struct leftover {
	char *path; /* path of the buffer */
	int error; /* errno if the file cannot be read; EBADMSG: it is no buffer */
	uid_t uid;
	dev_t device; /* of the file, with its inode */
	ino_t inode;
	bool is_elsewhere; /* in another folder than this process's: a container's */
	uint64_t bytes; /* of memory in use */
	time_t seen; /* time of the process's last clock reading, which it repeats while it lives */
	enum leftover_state state;
	/* Empty if the file cannot be read: */
	uint32_t pid; /* on this host while it lives; of one that has ended, as it saw itself */
	bool is_jailed; /* `waymark drain` makes its trace */
	bool has_trace; /* the trace is where its process made it, or can be made */
	char command[64]; /* name of the process; "": unknown */
	char directory[BUFFER_FILE_PATH_BYTES]; /* of the trace, absolute, on this host */
	uint8_t uuid[16]; /* of the trace */
	struct buffer_totals totals; /* all zero: unknown */
	uint64_t totals_ns; /* when the process noted them, CLOCK_MONOTONIC */
};

#define LEFTOVERS_ARE_CUT "too many files: only some of its buffers are found; remove what is none"

struct leftovers {
	VEC(struct leftover) all; /* of each folder by path, the own folder's first */
	bool is_short; /* there was no free descriptor: some are missing or not read */
	char *cut; /* a container's folder with too many files: some are missing; NULL: none */
};

/* Finds the buffers of all users. */
void leftovers_find(struct leftovers *l);

/* Finds those in this process's folder only: others are not to be changed from here. */
void leftovers_find_own(struct leftovers *l);
void leftovers_fini(struct leftovers *l);

/*
 * Describes an open buffer of this process's folder, whose file may be removed: its size is unknown
 * then. Call leftover_fini().
 */
void leftover_describe(struct leftover *o, struct buffer_source *buffer);
void leftover_fini(struct leftover *o);

/* True if this user, root each, may read the buffer's trace, and it is there. */
bool leftover_is_readable(const struct leftover *o);

/* True if an absolute path and one of a command line mean the same place, which need not exist. */
bool leftover_is_place(const char *directory, const char *path);

/*
 * Writes to `text` why there is no trace at `path`, and what to do. Returns false if no leftover's
 * process recorded there.
 */
bool leftover_explain(const char *path, char *text, size_t size);

/*
 * Makes truncated mappings readable. A process can truncate a file that another process has mapped,
 * which then gets SIGBUS. After this call, in the whole process, truncated pages read as zeros,
 * which are no packets; the file's size shows that it was truncated. Any other SIGBUS still ends
 * the process.
 */
void leftover_survive_cuts(void);

#endif
