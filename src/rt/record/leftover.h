/* SPDX-License-Identifier: MIT */
/*
 * A leftover: the buffer file of a process that has ended, see format/buffer.h. An open one is
 * locked exclusively, so no other process recovers, moves or discards it meanwhile. After a kill at
 * any step the next process can continue. leftover.c, for leftovers.c, allocates nothing and needs
 * little stack.
 */
#ifndef RT_RECORD_LEFTOVER_H
#define RT_RECORD_LEFTOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "format/buffer.h"
#include "format/packet.h"

#define LEFTOVER_BLOCK_BYTES 512u /* the unit of st_blocks */
#define LEFTOVER_NAME_BYTES (sizeof("waymark-") + 32)

struct leftover {
	int folder; /* descriptor of the shared folder */
	int fd;
	char name[LEFTOVER_NAME_BYTES];
	uint64_t size; /* of the file */
	uint64_t bytes; /* of memory that it takes */
	struct buffer_file header;
	/* Scratch memory, each for one function. */
	struct packet_header packet;
	char metadata[4096];
	struct buffer_file other;
};

/*
 * Opens and locks the file of that name, of this user, whose process has ended. Returns 0, or an
 * errno: EWOULDBLOCK if the process lives or another one works on the file, EBADMSG if it is no
 * leftover that can be moved, because it is damaged, another user's, or a jail's.
 */
int waymark_leftover_open(struct leftover *l, int folder, const char *name);
void waymark_leftover_close(struct leftover *l);

/* Gives back all memory that holds no packet. A second call does nothing. */
void waymark_leftover_trim(struct leftover *l);

/*
 * Moves the file into its trace. Returns 0; or an errno, and changes nothing: ENOENT if the trace
 * is not where its process recorded it or belongs to another user, EEXIST if it already has other
 * memory.
 */
int waymark_leftover_move(struct leftover *l);

/*
 * The sweep over all leftovers of this user: a process that begins to record gives back what holds
 * no packet, and, if they exceed a budget, moves the oldest into their traces.
 * docs/why/020-leftovers.md gives the reasons.
 */

struct process;

/*
 * Returns true if leftovers exceed the budget so far that a new buffer should be in its trace: this
 * happens if processes are killed before they have moved anything. Any thread, any signal handler.
 */
bool waymark_leftovers_are_too_many(void);

/*
 * Starts a thread for the sweep if there is a file of another process. The writer calls this once,
 * with its own table of descriptors, which the thread shares.
 */
void waymark_leftovers_begin(struct process *p);

#endif
