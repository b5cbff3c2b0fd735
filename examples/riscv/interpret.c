/* SPDX-License-Identifier: MIT */
/*
 * The interpreter: a case for each row of instructions.def. Each case continues with the next
 * instruction, or sets hart->pc to the begin of the next block and returns. Called by hart_step().
 */
#include "block.h"
#include "bus.h"
#include "machine.h"

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

/* The lower half of a register, sign-extended, as all instructions *W leave it. */
static inline uint64_t word(uint64_t value)
{
	return (uint64_t)(int32_t)value;
}

/* Signed division. Overflow and a division by zero have results and do not trap. */
static inline uint64_t divide(uint64_t a, uint64_t b)
{
	return b == 0 ? UINT64_MAX : b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b);
}

static inline uint64_t remainder_of(uint64_t a, uint64_t b)
{
	return b == 0 ? a : b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
}

/* Guest code may race in RAM: such races are not errors of the machine. Any alignment works. */
#define GUEST_MEMORY __attribute__((no_sanitize("thread")))
#define WORD(at, bits)                                                                         \
	((volatile struct { uint##bits##_t value; } __attribute__((packed, may_alias)) *)(at)) \
		->value

GUEST_MEMORY static inline uint64_t get(volatile void *at, unsigned int size)
{
	return size == 1   ? WORD(at, 8)
	       : size == 2 ? WORD(at, 16)
	       : size == 4 ? WORD(at, 32)
			   : WORD(at, 64);
}

GUEST_MEMORY static inline void put(volatile void *at, unsigned int size, uint64_t value)
{
	switch (size) {
	case 1:
		WORD(at, 8) = value;
		break;
	case 2:
		WORD(at, 16) = value;
		break;
	case 4:
		WORD(at, 32) = value;
		break;
	default:
		WORD(at, 64) = value;
	}
}

/* Return false after a trap. hart->pc must be that of the instruction. */
static inline bool load(struct hart *hart, uint64_t address, unsigned int size, uint64_t *value)
{
	void *at = machine_ram(hart->machine, address, size);

	if (at) {
		*value = get(at, size);
	} else if (!bus_load(hart->machine, address, size, value)) {
		hart_trap(hart, TRAP_LOAD_FAULT, address);
		return false;
	}
	return true;
}

static inline bool store(struct hart *hart, uint64_t address, unsigned int size, uint64_t value)
{
	void *at = machine_ram(hart->machine, address, size);

	if (at) {
		put(at, size, value);
	} else if (!bus_store(hart->machine, address, size, value)) {
		hart_trap(hart, TRAP_STORE_FAULT, address);
		return false;
	}
	return true;
}

/* A jump to an address that is no multiple of 4 traps, and does not write the link. */
static void jump(struct hart *hart, uint64_t pc, uint64_t target, uint8_t link)
{
	hart->pc = pc;
	if (target % 4) {
		hart_trap(hart, TRAP_FETCH_MISALIGNED, target);
		return;
	}
	hart->x[link] = pc + 4;
	hart->pc = target;
}

/* Fires an event at execution, with the registers' values of this moment. */
static void call_event(const struct hart *hart, const struct event_call *call)
{
	uint64_t arguments[BLOCK_OPERANDS];

	for (unsigned int i = 0; i < call->count; i++) {
		arguments[i] = hart->x[call->operands[i].reg] + call->operands[i].number;
	}
	call->helper(arguments);
}

void interpret(struct hart *hart, const struct block *block)
{
	uint64_t *x = hart->x;
	uint64_t pc = block->pc;

	hart->block_end = pc + 4 * block->count;
	hart->retired += block->count;
	for (const struct instruction *in = block->code;; in++) {
		uint64_t a = x[in->rs1], b = x[in->rs2], imm = (int64_t)in->imm;
		uint64_t value;

		switch ((enum operation)in->op) {
#define INSTRUCTION(kind, name, match, mask, ...) \
	case OP_##name:                           \
		kind(__VA_ARGS__)
#define COMPUTE(format, result) \
	x[in->rd] = (result);   \
	break;
#define BRANCH(condition)                                               \
	jump(hart, pc, (condition) ? pc + imm : pc + 4, REGISTER_SINK); \
	return;
#define JUMP(format, target)              \
	jump(hart, pc, (target), in->rd); \
	return;
#define LOAD(type)                                        \
	hart->pc = pc;                                    \
	if (!load(hart, a + imm, sizeof(type), &value)) { \
		return;                                   \
	}                                                 \
	x[in->rd] = (uint64_t)(type)value;                \
	break;
#define STORE(type)                                   \
	hart->pc = pc;                                \
	if (!store(hart, a + imm, sizeof(type), b)) { \
		return;                               \
	}                                             \
	break;
#define SYSTEM(action) \
	hart->pc = pc; \
	action;        \
	return;
#include "instructions.def"
		case OP_event:
			call_event(hart, in->call);
			continue;
		case OP_end:
			hart->pc = pc;
			return;
		case OP_illegal:
			hart->pc = pc;
			hart_trap(hart, TRAP_ILLEGAL, in->bits);
			return;
		}
		pc += 4;
	}
}
