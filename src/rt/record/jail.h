/* SPDX-License-Identifier: MIT */
/*
 * Recording in a jail: the buffers of this process and of those that it forks, made at one
 * time, whole, and inherited. From then on nothing is opened, created or written here, and
 * there is no writer: `waymark drain` takes packets out of the buffers, see
 * format/buffer_jail.h. A fork forgets whose buffer is whose like all else of the recorder,
 * so the child's first event claims one that is free.
 */
#ifndef RT_RECORD_JAIL_H
#define RT_RECORD_JAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <waymark/init.h>

#include "rt/record/buffer.h"
#include "rt/record/process.h"

struct jail_wish {
	uint32_t count; /* of processes that record at most, this one counted in */
	uint64_t text_bytes; /* for each one's declarations */
	const char *base; /* this process's trace, absolute */
	bool is_named; /* it was asked for */
};

/* waymark_jail_is_on() is in process.h: with such buffers nothing may be opened. */

/* Makes them, before any event was recorded. Returns 0; or an errno, and none is left. */
int waymark_jail_make(const struct jail_wish *wish);

/*
 * Claims one for the process; NULL: none is free. `waits`, of full=block: waits for a short time
 * where a drain may give back that of a process which has ended. It is shown to the drain by
 * waymark_jail_show(), when its declarations are there. With all signals blocked.
 */
struct buffer *waymark_jail_claim(struct process *p, bool waits);
void waymark_jail_show(struct buffer *b);
void waymark_jail_unclaim(struct buffer *b);

/* Looks whether the program has closed what tells that the process lives. Any signal handler. */
void waymark_jail_look(struct buffer *b);

/* Notes that the process came to its end. */
void waymark_jail_end(struct process *p);

/* Their descriptors, at most WAYMARK_JAIL_MAX; returns how many. */
size_t waymark_jail_descriptors(int *fds);

#endif
