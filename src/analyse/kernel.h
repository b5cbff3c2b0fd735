/* SPDX-License-Identifier: MIT */
/*
 * Adds the kernel's events to the scopes of a trace: each becomes a frame in the open scope of its
 * thread. The two clocks differ a little, but a thread that records is not in the kernel. So a
 * kernel span that seems open at a record is ended before it, or begun after it, if that changes
 * its times by at most KERNEL_SLACK_NS. A longer span contradicts the trace, and is counted. One
 * thread.
 */
#ifndef ANALYSE_KERNEL_H
#define ANALYSE_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "analyse/stacks.h"
#include "read/kernel/text.h"

/* Covers the rounding of text to microseconds, and differences of the recorders' clocks. */
#define KERNEL_SLACK_NS 5000

#define KERNEL_KINDS (KERNEL_SOFTIRQ + 1)

/* An open span of the kernel. */
struct kernel_span {
	uint64_t begin_ns;
	uint64_t losses; /* kernel.losses at its start */
	uint32_t span; /* index in pairs; PAIRS_NONE: in no scope */
	uint32_t name;
	enum kernel_kind kind;
};

/* A thread that has begun a scope. */
struct kernel_thread {
	struct key owner;
	uint32_t thread; /* index in pairs */
	uint32_t depth;
	struct kernel_span spans[KERNEL_KINDS]; /* outermost first */
};

struct kernel {
	struct kernel_text text;
	uint64_t first_ns; /* time of the kernel's first event */
	uint64_t last_ns;
	uint64_t losses; /* places where the capture lost events */
	uint64_t within; /* spans inside of scopes */
	uint64_t records; /* records of threads with scopes */
	uint64_t at_odds; /* spans that were open while their thread recorded */
	uint64_t unended; /* spans without an end, which was lost or is after the capture */
	uint64_t shared; /* scopes whose tid has open scopes in another process */
	/* For kernel.c only: */
	struct stacks *stacks;
	struct texts names;
	struct keys by_tid; /* indices of `threads` */
	VEC(struct kernel_thread) threads;
	VEC(struct kernel_event) ahead; /* events read ahead */
	size_t taken; /* number of these that were used */
	bool is_read; /* the capture was read to its end */
	struct kernel_span delayed[KERNEL_KINDS]; /* spans that begin after the current record */
	uint32_t delayed_count;
};

/* Takes ownership of `text`, which is open. */
void kernel_init(struct kernel *k, struct stacks *stacks, const struct kernel_text *text);
void kernel_fini(struct kernel *k);

/* Adds a record like stacks_add(), after the kernel's events before it. */
void kernel_add(struct kernel *k, const struct record *rec, const struct value *values);

/* Adds the rest of the kernel's events. Call before stacks_end(). */
void kernel_end(struct kernel *k);

#endif
