/* SPDX-License-Identifier: MIT */
/*
 * Basic blocks: instructions that run one after the other, decoded once and found by the address
 * of the first. Each hart has its own blocks, used only by its thread. fence.i discards them, and
 * so does switching an event of decoded blocks on or off.
 *
 * While guest_block_exec or guest_memory_exec is on for the hart, the block has calls of their
 * helpers (OP_event) between its instructions; while both are off, it has no such calls.
 */
#ifndef RISCV_BLOCK_H
#define RISCV_BLOCK_H

#include "decode.h"
#include "hart.h"

#define BLOCK_INSTRUCTIONS 64 /* guest instructions, at most */
#define BLOCK_OPERANDS 5 /* operands of an event's call, at most */

/*
 * A value that is computed when the block runs: a register plus a number. With x0 it is a
 * constant.
 */
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
	uint64_t count; /* number of guest instructions */
	const struct instruction *code; /* with calls of events; ends with OP_end */
};

/* Returns NULL if there is no memory. */
struct block_cache *block_cache_create(void);
void block_cache_destroy(struct block_cache *cache);

/* Returns the block at hart->pc, valid until the next call, or NULL after a fetch fault. */
const struct block *block_get(struct hart *hart);

/* Discards all blocks of the hart. `why` is recorded in the trace. */
void block_flush(struct hart *hart, const char *why);

/* Executes a block up to its end or a trap, then sets hart->pc to the next address: interpret.c. */
void interpret(struct hart *hart, const struct block *block);

#endif
