/* SPDX-License-Identifier: MIT */
/*
 * Decodes blocks, and puts calls of events into them. For Waymark this is a translator:
 * waymark_translate_call() appends to the block that is being decoded. Blocks are in a table by
 * address; their instructions fill a pool, which is emptied as a whole.
 */
#include "block.h"

#include <stdlib.h>
#include <string.h>

#include "machine.h"
#define WAYMARK_VALUE struct value
#include "trace-tcg-riscv.h"

#define BLOCKS 4096 /* a power of two: a block is at pc / 4 % BLOCKS */
#define POOL 65536
#define LONGEST_CODE (2 * BLOCK_INSTRUCTIONS + 2) /* each with a call; the block's call; OP_end */
#define NO_BLOCK 1 /* an address without an instruction */

struct block_cache {
	struct block blocks[BLOCKS];
	struct instruction code[POOL];
	struct event_call calls[POOL / 2]; /* at most half of a block's code is calls */
	unsigned int code_used;
	unsigned int calls_used;
};

static void forget(struct block_cache *cache)
{
	for (unsigned int i = 0; i < BLOCKS; i++) {
		cache->blocks[i].pc = NO_BLOCK;
	}
	cache->code_used = cache->calls_used = 0;
}

struct block_cache *block_cache_create(void)
{
	struct block_cache *cache = calloc(1, sizeof(*cache));

	if (cache) {
		forget(cache);
	}
	return cache;
}

void block_cache_destroy(struct block_cache *cache)
{
	free(cache);
}

void block_flush(struct hart *hart, const char *why)
{
	trace_block_flush(hart->id, why);
	forget(hart->blocks);
}

/* Waymark calls this from trace_*_tcg() while the event is on for the hart `call->cpu`. */
void waymark_translate_call(const struct waymark_call *call)
{
	const struct hart *hart = call->cpu;
	struct block_cache *cache = hart->blocks;
	struct event_call *copy = &cache->calls[cache->calls_used++];

	copy->helper = call->helper;
	copy->count = call->count;
	for (unsigned int i = 0; i < call->count; i++) {
		const struct waymark_operand *operand = &call->operands[i];

		copy->operands[i] = operand->value ? *operand->value
						   : (struct value){ .number = operand->constant };
	}
	cache->code[cache->code_used++] = (struct instruction){ .op = OP_event, .call = copy };
}

/* Decodes until an instruction ends the block, or until BLOCK_INSTRUCTIONS or the end of RAM. */
static unsigned int decode_instructions(
	const struct hart *hart, uint64_t pc, struct instruction *instructions)
{
	unsigned int count = 0;
	const void *at;

	while (count < BLOCK_INSTRUCTIONS && (at = machine_ram(hart->machine, pc, 4))) {
		uint32_t bits;

		memcpy(&bits, at, sizeof(bits));
		instructions[count] = decode(bits);
		pc += 4;
		if (instructions[count++].ends) {
			break;
		}
	}
	return count;
}

static void decode_block(struct hart *hart, struct block *block)
{
	struct block_cache *cache = hart->blocks;
	const struct value cpu = { .reg = REGISTER_HART };
	struct instruction instructions[BLOCK_INSTRUCTIONS];
	uint64_t pc = hart->pc;
	unsigned int count = decode_instructions(hart, pc, instructions);

	if (cache->code_used + LONGEST_CODE > POOL) {
		block_flush(hart, "no room for more");
	}
	*block = (struct block){ .pc = pc, .count = count, .code = &cache->code[cache->code_used] };
	trace_guest_block_tcg(hart, cpu, pc, count);
	for (unsigned int i = 0; i < count; i++, pc += 4) {
		const struct instruction *in = &instructions[i];

		if (in->access) {
			const struct value address = { .reg = in->rs1, .number = (int64_t)in->imm };

			trace_guest_memory_tcg(hart, cpu, pc, address, in->access, in->store);
		}
		cache->code[cache->code_used++] = *in;
	}
	cache->code[cache->code_used++] = (struct instruction){ .op = OP_end };
}

const struct block *block_get(struct hart *hart)
{
	struct block *block = &hart->blocks->blocks[hart->pc / 4 % BLOCKS];

	if (block->pc == hart->pc) {
		return block;
	}
	if (!machine_ram(hart->machine, hart->pc, 4)) {
		hart->block_end = hart->pc;
		hart_trap(hart, TRAP_FETCH_FAULT, hart->pc);
		return NULL;
	}
	decode_block(hart, block);
	return block;
}
