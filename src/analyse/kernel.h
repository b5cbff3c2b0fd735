/* SPDX-License-Identifier: MIT */
/*
 * The kernel's events within the scopes of a trace: each goes onto the stack of the thread
 * that it happened to, as a frame in the scope that is open there. Two clocks never agree to
 * the last digit, but one thing is sure: a thread that records is not in the kernel. So what
 * seems to be open then ends before, or begins behind, as far as SLACK allows; what is open
 * for longer is at odds with the trace, and is counted. One thread.
 */
#ifndef ANALYSE_KERNEL_H
#define ANALYSE_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "analyse/stacks.h"
#include "read/kernel/text.h"

/* Text has microseconds, rounded, and recorders have clocks of their own: both, generously. */
#define KERNEL_SLACK_NS 5000

#define KERNEL_KINDS (KERNEL_SOFTIRQ + 1)

/* One that is open. */
struct kernel_span {
	uint64_t begin_ns;
	uint64_t losses; /* of the capture, when it began */
	uint32_t span; /* of pairs; PAIRS_NONE: no scope is around it */
	uint32_t name;
	enum kernel_kind kind;
};

/* A thread that has begun a scope. */
struct kernel_thread {
	struct key owner;
	uint32_t thread; /* of pairs */
	uint32_t depth;
	struct kernel_span spans[KERNEL_KINDS]; /* the outermost first */
};

struct kernel {
	struct kernel_text text;
	uint64_t first_ns; /* of its events */
	uint64_t last_ns;
	uint64_t losses; /* places where it lost some */
	uint64_t within; /* spans that are in scopes */
	uint64_t records; /* of threads with scopes */
	uint64_t at_odds; /* of what is open, while its thread records */
	uint64_t unended; /* without an end, behind losses, or because the capture ends */
	uint64_t shared; /* scopes of a thread's number that has scopes open in another process */
	/* For kernel.c only: */
	struct stacks *stacks;
	VEC(char *) names;
	struct hash by_name; /* values: index + 1 */
	struct keys by_tid; /* indices of `threads` */
	VEC(struct kernel_thread) threads;
	VEC(struct kernel_event) ahead; /* read, and not taken yet */
	size_t taken; /* of those */
	bool is_read;
	struct kernel_span delayed[KERNEL_KINDS]; /* by the record that is being taken */
	uint32_t delayed_count;
};

/* Takes `text` over, which is open. */
void kernel_init(struct kernel *k, struct stacks *stacks, const struct kernel_text *text);
void kernel_fini(struct kernel *k);

/* Takes a record and the kernel's events before it; else as stacks_add(). */
void kernel_add(struct kernel *k, const struct record *rec, const struct value *values);

/* Takes the rest of the kernel's events; before stacks_end(). */
void kernel_end(struct kernel *k);

#endif
