/* SPDX-License-Identifier: MIT */
/*
 * The interpreter: instructions.def, a case each. What follows an instruction is
 * the next one, or a return: then hart->pc is where the next block begins.
 */
#include "hart/arithmetic.h"
#include "hart/atomic.h"
#include "hart/block.h"
#include "hart/csr.h"
#include "hart/memory.h"
#include "hart/trace.h"
#include "hart/trap.h"

static void fence_instructions(struct hart *hart)
{
	block_flush(hart, "fence.i");
	hart->pc += 4;
}

static void wait_for_interrupt(struct hart *hart)
{
	hart_wait(hart);
	hart->pc += 4;
}

/* Instructions lie at multiples of 4. The jump that would leave them has not happened. */
static void jump(struct hart *hart, uint64_t pc, uint64_t target, uint8_t link)
{
	hart->pc = pc;
	if (target % 4) {
		trap(hart, TRAP_FETCH_MISALIGNED, target);
		return;
	}
	hart->x[link] = pc + 4;
	hart->pc = target;
}

static inline bool load(
	struct hart *hart, uint64_t pc, uint64_t address, unsigned int size, uint64_t *value)
{
	hart->pc = pc;
	trace_guest_memory_exec(hart, pc, address, size, false);
	return memory_load(hart, address, size, value);
}

static inline bool store(
	struct hart *hart, uint64_t pc, uint64_t address, unsigned int size, uint64_t value)
{
	hart->pc = pc;
	trace_guest_memory_exec(hart, pc, address, size, true);
	return memory_store(hart, address, size, value);
}

bool block_interpret(struct hart *hart, const struct block *block)
{
	const struct instruction *in = block->instructions;
	uint64_t *x = hart->x;
	uint64_t pc = block->pc;

	for (;; in++, pc += 4) {
		uint64_t a = x[in->rs1], b = x[in->rs2], imm = (int64_t)in->imm;
		uint64_t value;

		switch ((enum operation)in->op) {
#define COMPUTE(name, match, mask, format, result) \
	case OP_##name:                            \
		x[in->rd] = (result);              \
		continue;
#define BRANCH(name, match, mask, condition)                                    \
	case OP_##name:                                                         \
		jump(hart, pc, (condition) ? pc + imm : pc + 4, REGISTER_SINK); \
		return false;
#define JUMP(name, match, mask, format, target)   \
	case OP_##name:                           \
		jump(hart, pc, (target), in->rd); \
		return false;
#define LOAD(name, match, mask, type)                                 \
	case OP_##name:                                               \
		if (!load(hart, pc, a + imm, sizeof(type), &value)) { \
			return false;                                 \
		}                                                     \
		x[in->rd] = (uint64_t)(type)value;                    \
		continue;
#define STORE(name, match, mask, type)                            \
	case OP_##name:                                           \
		if (!store(hart, pc, a + imm, sizeof(type), b)) { \
			return false;                             \
		}                                                 \
		continue;
#define AMO(name, match, mask, type, result) CALL(name, , , atomic_update(hart, in, sizeof(type)))
#define CALL(name, match, mask, done) \
	case OP_##name:               \
		hart->pc = pc;        \
		if (!(done)) {        \
			return false; \
		}                     \
		continue;
#define SYSTEM(name, match, mask, action) \
	case OP_##name:                   \
		hart->pc = pc;            \
		(void)(action);           \
		return false;
#include "hart/instructions.def"
		case OP_end:
			hart->pc = pc;
			return true;
		case OP_illegal:
			hart->pc = pc;
			trap(hart, TRAP_ILLEGAL, in->bits);
			return false;
		}
	}
}
