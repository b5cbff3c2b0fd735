/* SPDX-License-Identifier: MIT */
/*
 * Basic blocks: instructions that are executed one after the other, decoded once
 * and found again by the address of the first. Each hart has its own, and only
 * its thread touches them. A block lies in one page and is dropped by fence.i and
 * after a store into a page with code.
 */
#ifndef RISCV_HART_BLOCK_H
#define RISCV_HART_BLOCK_H

#include "hart/decode.h"
#include "hart/hart.h"

#define BLOCK_INSTRUCTIONS 64 /* at most */
#define BLOCKS 4096 /* a power of two: a block is at pc / 4 % BLOCKS */

struct block {
	uint64_t pc;
	const void *code; /* its translation; NULL: none */
	const struct instruction *instructions; /* count, then one that ends the block or OP_end */
	uint64_t count;
};

/* Returns NULL without memory. */
struct block_cache *block_cache_create(void);
void block_cache_destroy(struct block_cache *cache);

/* The table: BLOCKS of them, those with an odd pc are none. */
const struct block *block_cache_blocks(const struct block_cache *cache);

/*
 * Executes the block at hart->pc, and where they are translated those that follow
 * while no interrupt is pending; leaves there where the next one begins: the
 * one way to have a hart do something, whoever executes blocks, and how.
 */
void block_run(struct hart *hart);

/* Tells of an instruction that reads or writes memory, before it is executed for the first time. */
void block_trace_access(struct hart *hart, const struct instruction *in, uint64_t pc);

/* Drops all blocks; those that run are valid until the next is looked for. */
void block_flush(struct hart *hart, const char *why);

/*
 * Executes a block, all of it or up to a trap: interpret.c. Returns true where it was
 * cut: then hart->pc is behind its last instruction.
 */
bool block_interpret(struct hart *hart, const struct block *block);

#endif
