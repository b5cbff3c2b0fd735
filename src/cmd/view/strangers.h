/* SPDX-License-Identifier: MIT */
/*
 * The connections that have not shown the token. Anyone on this machine can open them, so their
 * number is limited: a new one closes the oldest, and never one of the user's. Any thread may call.
 */
#ifndef CMD_VIEW_STRANGERS_H
#define CMD_VIEW_STRANGERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define STRANGERS_MAX 64

struct stranger {
	int fd;
	bool is_listed; /* it may be closed for a newer one */
};

struct strangers {
	pthread_mutex_t lock;
	struct stranger *all[STRANGERS_MAX]; /* by age, the oldest first */
	size_t count;
};

void strangers_init(struct strangers *s);

/* Call when all have left. */
void strangers_fini(struct strangers *s);

/* Adds a new connection, in place of the oldest one if there are too many. */
struct stranger *strangers_enter(struct strangers *s, int fd);

/* Notes that the connection has shown the token: it is the user's. */
void strangers_know(struct strangers *s, struct stranger *stranger);

/* Frees it. Call before the descriptor is closed. */
void strangers_leave(struct strangers *s, struct stranger *stranger);

#endif
