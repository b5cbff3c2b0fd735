/* SPDX-License-Identifier: MIT */
/*
 * Recording in a jail: the buffers of this process and of those that it forks, made together, fully
 * allocated, and inherited. From then on these processes open, create and write no file, and have
 * no writer: `waymark drain` takes packets out of the buffers, see format/buffer_jail.h. A fork
 * wipes which buffer a process has, as it wipes the rest of the recorder, so the child's first
 * event claims a free one.
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
	uint32_t count; /* the most processes that can record, including this one */
	uint64_t text_bytes; /* for each one's declarations */
	const char *base; /* path of this process's trace, absolute */
	bool is_named; /* an option gave the path */
};

/* waymark_jail_is_on() is in process.h: if it is true, nothing may be opened. */

/*
 * Makes the buffers, before any event was recorded. Returns 0; or an errno, and no buffer is left.
 */
int waymark_jail_make(const struct jail_wish *wish);

/*
 * Claims a buffer for the process; returns NULL if none is free. `waits`, for full=block: waits for
 * a short time if a drain may give back the buffer of an ended process. Call waymark_jail_show()
 * when the declarations are in the buffer: it shows the buffer to the drain. With all signals
 * blocked.
 */
struct buffer *waymark_jail_claim(struct process *p, bool waits);
void waymark_jail_show(struct buffer *b);
void waymark_jail_unclaim(struct buffer *b);

/*
 * Checks whether the program has closed the descriptor whose lock shows that the process lives. Any
 * signal handler.
 */
void waymark_jail_look(struct buffer *b);

/* Notes that the process ends by exit() or quick_exit(). */
void waymark_jail_end(struct process *p);

/* Gives the descriptors of the buffers, at most WAYMARK_JAIL_MAX; returns how many. */
size_t waymark_jail_descriptors(int *fds);

#endif
