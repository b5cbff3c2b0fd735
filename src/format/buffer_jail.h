/* SPDX-License-Identifier: MIT */
/*
 * The memory of a buffer as its process and `waymark drain` share it. A packet is one of
 * a sub-buffer of 1, 4 or 16 units, whose process is through with it once its sub-buffer's `next`
 *is not zero. Then it is the drain's, which frees it: magic is gone first, then the sub-buffer goes
 *on the stack of its class, where the process takes it from.
 *
 * When all of a process that has ended is in its trace, the drain renews the buffer: text_bytes
 * becomes 0, the file gets another name, the header that uuid, and `claim` is BUFFER_FREE by
 * release. The process that claims it takes all of its memory as unused. Packets of another uuid
 * than the header's are nobody's. Who has the file open sees by the uuid that it is another's.
 *
 * Locks of fcntl(2) on bytes of the file, not inherited by fork, gone at exec and exit:
 *
 *	0	the process that records into it
 *	1	who drains it
 */
#ifndef FORMAT_BUFFER_JAIL_H
#define FORMAT_BUFFER_JAIL_H

#include "format/buffer.h"

#define BUFFER_LOCK_OWNER 0
#define BUFFER_LOCK_DRAIN 1

/* Sizes of sub-buffers: 64 KiB, 256 KiB, 1 MiB. */
enum { BUFFER_SMALL, BUFFER_MEDIUM, BUFFER_LARGE, BUFFER_CLASSES };

struct subbuf {
	uint32_t next; /* free: the stack's next; in use: the packet that follows, or 0 */
	uint32_t size_class; /* written before the sub-buffer is first handed out or pushed */
};

/* A line of its own each: threads of different classes do not meet. */
struct buffer_stack {
	uint64_t top; /* 32 bits tag, 32 bits unit */
} __attribute__((aligned(64)));

static inline void buffer_stack_push(struct buffer_stack *s, struct subbuf *subbufs, uint32_t unit)
{
	uint64_t top = __atomic_load_n(&s->top, __ATOMIC_RELAXED);
	uint64_t with;

	do {
		__atomic_store_n(&subbufs[unit].next, (uint32_t)top, __ATOMIC_RELAXED);
		with = ((top >> 32) + 1) << 32 | unit;
	} while (!__atomic_compare_exchange_n(
		&s->top, &top, with, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

#endif
