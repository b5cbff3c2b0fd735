/* SPDX-License-Identifier: MIT */
/*
 * What processes left in memory, or still record into: the buffer files under
 * /dev/shm, whose they are, and which trace each belongs to. Buffers that lie in
 * their traces are not among them. Changes nothing. Any process.
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
	LEFTOVER_UNKNOWN, /* the file may not be read, or is no buffer */
	LEFTOVER_ALIVE, /* its process has it mapped */
	LEFTOVER_DEAD,
};

struct leftover {
	char *path; /* of the buffer */
	int error; /* an errno: why it cannot be read; EBADMSG: it is no buffer */
	uid_t uid;
	uint64_t bytes; /* of memory that it takes */
	time_t seen; /* when its process read its clocks last; it does so all the time */
	enum leftover_state state;
	/* From here on empty while it cannot be read. */
	uint32_t pid;
	bool is_jailed; /* `waymark drain` makes its trace */
	bool has_trace; /* the trace is where its process had it */
	char command[64]; /* of the process; "" when nobody knows */
	char directory[BUFFER_FILE_PATH_BYTES]; /* of the trace, absolute */
	struct buffer_totals totals; /* no events: nobody knows */
};

struct leftovers {
	VEC(struct leftover) all; /* by path */
};

/* Finds all of them, other users' too. */
void leftovers_find(struct leftovers *l);
void leftovers_fini(struct leftovers *l);

/* The one whose process recorded into the folder `path`, which may be gone; NULL: none is. */
const struct leftover *leftovers_of(const struct leftovers *l, const char *path);

/* Whether the absolute path and one of a command line are of one place, which need not exist. */
bool leftover_is_place(const char *directory, const char *path);

/*
 * Says why there is no trace in `path` although a process recorded into it, and
 * what to do. False: no process that left something did.
 */
bool leftover_explain(const char *path, char *text, size_t size);

#endif
