/* SPDX-License-Identifier: MIT */
/*
 * Events that a process lost, by text backend, reported in one line each at its exit. The counts
 * are in memory that a fork wipes, no matter how the child is made, because the parent reports its
 * own losses. A child of vfork() that shares the memory counts for its parent.
 *
 * Any thread, any signal handler; errno is kept.
 */
#ifndef RT_TEXT_LOSS_H
#define RT_TEXT_LOSS_H

#include <stdint.h>

#include <waymark/backends.def>

enum loss {
#define LOSS(bit, upper, lower, kind, help) WAYMARK_IF_PRINTS_##kind(LOSS_##upper, )
	WAYMARK_ALL_BACKENDS(LOSS)
#undef LOSS
		LOSS_SYSLOG_WITHHELD,
	LOSS_SYSLOG_UNTOLD, /* of these, not reported by a message yet; no line at exit */
	LOSSES
};

void waymark_loss_add(enum loss which, uint64_t count);

/* Returns the count so far. */
uint64_t waymark_loss(enum loss which);

/* Returns the count and resets it to 0. */
uint64_t waymark_loss_take(enum loss which);

#endif
