/* SPDX-License-Identifier: MIT */
/*
 * The memory of a jail's buffer, which its process shares with `waymark drain`. A packet fills a
 * sub-buffer of 1, 4 or 16 units. The process has closed it once the sub-buffer's `next` is not
 * zero. From then on the drain owns it. To free it, the drain clears the magic, then pushes the
 * sub-buffer on the stack of its class, from which the process pops it.
 *
 * When all events of a process that has ended are in its trace, the drain renews the buffer: it
 * sets text_bytes to 0, renames the file, stores the new uuid in the header, and sets `claim` to
 * BUFFER_FREE by release. The process that claims it treats all of its memory as unused. Packets
 * with another uuid than the header's belong to no trace. A reader that has the file open detects
 * by the uuid that it belongs to another trace.
 *
 * Locks of fcntl(2) on bytes of the file, not inherited by fork, released at exec and exit:
 *
 *	0	the process that records into it
 *	1	the process that drains it
 */
#ifndef FORMAT_BUFFER_JAIL_H
#define FORMAT_BUFFER_JAIL_H

#include "format/buffer.h"

#define BUFFER_LOCK_OWNER 0
#define BUFFER_LOCK_DRAIN 1

/* Sizes of sub-buffers: 64 KiB, 256 KiB, 1 MiB. */
enum { BUFFER_SMALL, BUFFER_MEDIUM, BUFFER_LARGE, BUFFER_CLASSES };

struct subbuf {
	uint32_t next; /* free: the stack's next one; in use: the next packet's, or 0 */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ /* together the 32 bits that were the class alone */
	uint16_t missing;
	uint16_t size_class;
#else
	uint16_t size_class; /* written before the sub-buffer is first used or pushed */
	uint16_t missing; /* pages at its end that have no memory yet; 0 in a jail */
#endif
};

_Static_assert(sizeof(struct subbuf) == 8, "the same bytes for an older drain");

/* Each has its own cache line, so that threads of different classes do not contend. */
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
