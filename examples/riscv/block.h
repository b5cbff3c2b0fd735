/* SPDX-License-Identifier: MIT */
/*
 * Basic blocks: instructions that run one after the other, decoded once and found again by
 * the address of the first. Each hart has its own, used by its thread alone. fence.i drops
 * them, and so does a switch of the events of decoded blocks.
 *
 * While guest_block_exec or guest_memory_exec is on for the hart, the block has calls of
 * their helpers (OP_event) between its instructions; while they are off, it has none.
 */
#ifndef RISCV_BLOCK_H
#define RISCV_BLOCK_H

#include "decode.h"
#include "hart.h"

#define BLOCK_INSTRUCTIONS 64 /* of the guest, at most */
#define BLOCK_OPERANDS 5 /* of an event's call, at most */

/* A value that is known when the block runs: a register plus a number. x0 makes constants. */
struct value {
	uint64_t number;
	uint8_t reg;
};

struct event_call {
	void (*helper)(const uint64_t *arguments);
	unsigned int count;
	struct value operands[BLOCK_OPERANDS];
};

struct block {
	uint64_t pc;
	uint64_t count; /* instructions of the guest */
	const struct instruction *code; /* with calls of events; OP_end is behind them */
};

/* Returns NULL without memory. */
struct block_cache *block_cache_create(void);
void block_cache_destroy(struct block_cache *cache);

/* Returns the block at hart->pc, valid until the next call, or NULL after a fetch fault. */
const struct block *block_get(struct hart *hart);

/* Drops all blocks of the hart. `why` is for the trace. */
void block_flush(struct hart *hart, const char *why);

/* Executes a block, up to its end or a trap: interpret.c. Sets hart->pc to where to go on. */
void interpret(struct hart *hart, const struct block *block);

#endif
