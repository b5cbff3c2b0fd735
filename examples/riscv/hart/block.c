/* SPDX-License-Identifier: MIT */
/*
 * A table of blocks by their address, and a pool of instructions that is filled and
 * then emptied. Translations go with their blocks.
 */
#include "hart/block.h"

#include <stdlib.h>
#include <string.h>

#include "hart/trace.h"
#include "hart/trap.h"
#include "translate/translator.h"

#define POOL 65536 /* instructions */
#define NOWHERE 1 /* no block's address */

struct block_cache {
	struct block blocks[BLOCKS];
	struct instruction pool[POOL];
	unsigned int used; /* of the pool */
};

static void forget(struct block_cache *cache)
{
	for (unsigned int i = 0; i < BLOCKS; i++) {
		cache->blocks[i].pc = NOWHERE;
	}
	cache->used = 0;
}

struct block_cache *block_cache_create(void)
{
	struct block_cache *cache = calloc(1, sizeof(*cache));

	if (cache) {
		forget(cache);
	}
	return cache;
}

const struct block *block_cache_blocks(const struct block_cache *cache)
{
	return cache->blocks;
}

void block_cache_destroy(struct block_cache *cache)
{
	free(cache);
}

void block_flush(struct hart *hart, const char *why)
{
	trace_block_flush(hart->id, why);
	forget(hart->blocks);
	if (hart->translator) {
		translator_forget(hart->translator);
	}
}

static struct instruction fetch(const struct hart *hart, uint64_t pc)
{
	uint32_t bits;

	memcpy(&bits, ram_at(hart->ram, pc, sizeof(bits)), sizeof(bits));
	return decode(bits);
}

/* Up to the end of the page, a block's greatest length, or what ends it by its nature. */
static unsigned int read_instructions(
	const struct hart *hart, uint64_t pc, struct instruction *instructions)
{
	uint64_t left = (RAM_PAGE - pc % RAM_PAGE) / 4;
	unsigned int most = left < BLOCK_INSTRUCTIONS ? left : BLOCK_INSTRUCTIONS;
	unsigned int count = 0;

	do {
		instructions[count] = fetch(hart, pc + 4 * count);
	} while (!instructions[count++].ends && count < most);
	instructions[count] = (struct instruction){ .op = OP_end };
	return count;
}

void block_trace_access(struct hart *hart, const struct instruction *in, uint64_t pc)
{
	struct access access = decode_access(in->op);

	if (access.size) {
		trace_guest_memory_trans(hart, pc, access.size, access.store);
	}
}

/* What is interpreted is as good as translated, as far as events go. */
static void trace_translation(struct hart *hart, const struct block *block)
{
	trace_guest_block_trans(hart, block->pc, block->count);
	for (unsigned int i = 0; i < block->count; i++) {
		block_trace_access(hart, &block->instructions[i], block->pc + 4 * i);
	}
}

/* The page is marked before it is read, so that no store in between goes unnoticed. */
static void make(struct hart *hart, struct block *block, uint64_t pc)
{
	struct block_cache *cache = hart->blocks;

	if (cache->used + BLOCK_INSTRUCTIONS + 1 > POOL ||
		(hart->translator && !translator_has_room(hart->translator))) {
		block_flush(hart, "no room for more");
	}
	struct instruction *instructions = &cache->pool[cache->used];

	ram_mark_code(hart->ram, pc);
	*block = (struct block){ .pc = pc, .instructions = instructions };
	block->count = read_instructions(hart, pc, instructions);
	cache->used += block->count + 1;
	if (hart->translator) {
		translator_add(hart->translator, block);
	} else {
		trace_translation(hart, block);
	}
}

/* Returns NULL after a trap: no memory is there. */
static const struct block *get(struct hart *hart)
{
	uint64_t pc = hart->pc;
	struct block *block = &hart->blocks->blocks[pc / 4 % BLOCKS];

	if (__atomic_load_n(&hart->interrupts, __ATOMIC_ACQUIRE) & HART_FLUSH) {
		hart_lower(hart, HART_FLUSH);
		block_flush(hart, "code was written, or its events switched");
	}
	if (block->pc == pc) {
		return block;
	}
	if (!ram_at(hart->ram, pc, 4)) {
		hart->block_end = pc;
		trap(hart, TRAP_FETCH_FAULT, pc);
		return NULL;
	}
	make(hart, block, pc);
	return block;
}

void block_run(struct hart *hart)
{
	const struct block *block = get(hart);

	if (!block) {
		return;
	}
	if (hart->translator) {
		translator_run(hart->translator, hart, block);
		return;
	}
	trace_guest_block_exec(hart, block->pc, block->count);
	hart->block_end = block->pc + 4 * block->count;
	hart->retired += block->count;
	(void)block_interpret(hart, block);
}
