/* SPDX-License-Identifier: MIT */
/*
 * Adds the kernel's events to the scopes of a trace: each becomes a frame in the scope that is
 * open on its thread. The two clocks differ a little, but a thread that records is not in the
 * kernel. So a kernel span that seems open at a record is ended before it, or begun after it, if
 * that changes its times by at most KERNEL_SLACK_NS; a longer one is at odds with the trace, and
 * is counted. One thread.
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
	uint64_t losses; /* kernel.losses at its beginning */
	uint32_t span; /* of pairs; PAIRS_NONE: it is in no scope */
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
	uint64_t first_ns; /* of the kernel's events */
	uint64_t last_ns;
	uint64_t losses; /* places where the capture lost events */
	uint64_t within; /* spans inside of scopes */
	uint64_t records; /* records of threads with scopes */
	uint64_t at_odds; /* spans that were open while their thread recorded */
	uint64_t unended; /* spans without an end, which was lost or is behind the capture */
	uint64_t shared; /* scopes whose tid has open scopes in another process */
	/* For kernel.c only: */
	struct stacks *stacks;
	VEC(char *) names;
	struct hash by_name; /* values: index + 1 */
	struct keys by_tid; /* indices of `threads` */
	VEC(struct kernel_thread) threads;
	VEC(struct kernel_event) ahead; /* events that were read */
	size_t taken; /* how many of those were taken */
	bool is_read; /* to the end */
	struct kernel_span
		delayed[KERNEL_KINDS]; /* to begin after the record that is being taken */
	uint32_t delayed_count;
};

/* Takes ownership of `text`, which is open. */
void kernel_init(struct kernel *k, struct stacks *stacks, const struct kernel_text *text);
void kernel_fini(struct kernel *k);

/* As stacks_add(), after the kernel's events before the record. */
void kernel_add(struct kernel *k, const struct record *rec, const struct value *values);

/* Takes the rest of the kernel's events. Before stacks_end(). */
void kernel_end(struct kernel *k);

#endif
