/* SPDX-License-Identifier: MIT */
/*
 * A descriptor that a monitor owns, and what is to happen when it is ready. What
 * epoll cannot watch, such as a file, counts as always ready.
 */
#ifndef MON_WATCH_H
#define MON_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct waymark_monitor;

struct watch {
	int fd; /* -1: not open */
	int shown; /* to epoll, in its place; or `fd` */
	bool socket; /* what io_read() and io_write() want to know */
	uint32_t events; /* that are waited for; 0: none, not even a hang-up */
	void (*ready)(struct waymark_monitor *m, struct watch *w);
	void *of; /* whose it is */
};

/* Takes `fd` over; nothing is waited for yet. */
static inline void watch_init(struct watch *w, int fd,
	void (*ready)(struct waymark_monitor *m, struct watch *w), void *of)
{
	*w = (struct watch){ .fd = fd, .shown = fd, .ready = ready, .of = of };
}

/* Waits for these events from now on. Returns 0, or -1: the system is short of something. */
int watch_set(int epoll, struct watch *w, uint32_t events);

/* Waits for nothing any more and closes it. A closed one stays closed. */
void watch_close(int epoll, struct watch *w);

/* Closes it in the child of a fork, whose parent goes on to wait. */
void watch_forget(struct watch *w);

#endif
