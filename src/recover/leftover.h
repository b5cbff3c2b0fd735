/* SPDX-License-Identifier: MIT */
/*
 * The memory that processes left or still record into: the buffer files under /dev/shm, with their
 * user, process and trace. Buffers inside of their traces are not listed. Changes nothing. Any
 * process, one thread.
 */
#ifndef RECOVER_LEFTOVER_H
#define RECOVER_LEFTOVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/vec.h"
#include "format/buffer.h"

enum leftover_state {
	LEFTOVER_UNKNOWN, /* the file cannot be read, or is no buffer */
	LEFTOVER_ALIVE, /* its process has it mapped */
	LEFTOVER_DEAD,
};

struct leftover {
	char *path; /* of the buffer */
	int error; /* an errno: why it cannot be read; EBADMSG: it is no buffer */
	uid_t uid;
	uint64_t bytes; /* of memory in use */
	time_t seen; /* when its process, which does so all its life, last read its clocks */
	enum leftover_state state;
	/* Empty where the file cannot be read: */
	uint32_t pid;
	bool is_jailed; /* `waymark drain` makes its trace */
	bool has_trace; /* the trace is where its process made it, or can be made */
	char command[64]; /* of the process; "": not known */
	char directory[BUFFER_FILE_PATH_BYTES]; /* of the trace, absolute */
	struct buffer_totals totals; /* all zero: not known */
};

struct leftovers {
	VEC(struct leftover) all; /* by path */
};

/* Finds those of all users. */
void leftovers_find(struct leftovers *l);
void leftovers_fini(struct leftovers *l);

/* True where an absolute path and one of a command line name one place, which need not exist. */
bool leftover_is_place(const char *directory, const char *path);

/*
 * Writes into `text` why there is no trace at `path`, and what to do. False: no process that left
 * memory recorded there.
 */
bool leftover_explain(const char *path, char *text, size_t size);

/*
 * A process can cut the file that another one has mapped, which gets SIGBUS then. After this call,
 * in all of the calling process, pages that were cut off read as zeros, which are no packets; that
 * they were cut, the file's size shows. Any other SIGBUS still ends the process.
 */
void leftover_survive_cuts(void);

#endif
