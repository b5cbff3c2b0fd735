/* SPDX-License-Identifier: MIT */
/*
 * A leftover: the buffer file of a process that has ended, see format/buffer.h. An open one
 * is locked exclusively, so no other process recovers, moves or discards it meanwhile. After
 * a kill at any step the next process can go on. leftover.c, for leftovers.c, allocates nothing
 * and needs little stack.
 */
#ifndef RT_RECORD_LEFTOVER_H
#define RT_RECORD_LEFTOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "format/buffer.h"
#include "format/packet.h"

#define LEFTOVER_BLOCK_BYTES 512u /* of st_blocks */
#define LEFTOVER_NAME_BYTES (sizeof("waymark-") + 32)

struct leftover {
	int folder; /* the shared one, open */
	int fd;
	char name[LEFTOVER_NAME_BYTES];
	uint64_t size; /* of the file */
	uint64_t bytes; /* of memory that it takes */
	struct buffer_file header;
	/* For one function each. */
	struct packet_header packet;
	char metadata[4096];
	struct buffer_file other;
};

/*
 * Opens and locks the file of that name, of this user, whose process has ended. Returns 0,
 * or an errno: EWOULDBLOCK where the process lives or another one works on it, EBADMSG where
 * it is no leftover that can be moved: it is damaged, another user's, or of a jail.
 */
int waymark_leftover_open(struct leftover *l, int folder, const char *name);
void waymark_leftover_close(struct leftover *l);

/* Gives back all memory that holds no packet. Does nothing the second time. */
void waymark_leftover_trim(struct leftover *l);

/*
 * Moves the file into its trace. Returns 0; or an errno, and all is as before: ENOENT where the
 * trace is not where its process recorded it, or belongs to another user, EEXIST where it has
 * other memory.
 */
int waymark_leftover_move(struct leftover *l);

/*
 * The sweep over all leftovers of this user: a process that begins to record gives back what holds
 * no packet, and moves the oldest beyond a budget into their traces.
 * docs/why/020-leftovers.md gives the reasons.
 */

struct process;

/*
 * True if they take so much more than the budget that a new buffer should lie in its trace:
 * processes are killed before they have moved anything. Any thread, any signal handler.
 */
bool waymark_leftovers_are_too_many(void);

/*
 * Starts a thread for it, where there is anything of another process. The writer, once,
 * with descriptors of its own, which the thread shares.
 */
void waymark_leftovers_begin(struct process *p);

#endif
