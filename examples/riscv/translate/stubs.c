/* SPDX-License-Identifier: MIT */
/* Registers between host and guest, by the calling convention of System V. */
#include "translate/stubs.h"

#include <string.h>

#include "translate/translation.h"

static const uint8_t saved[] = { RBX, RBP, R12, R13, R14, R15 };

#define SAVED (sizeof(saved) / sizeof(saved[0]))
#define ALIGNMENT 8 /* bytes, so that rsp is a multiple of 16 in translated code */

_Static_assert((8 + 8 * SAVED + ALIGNMENT) % 16 == 0, "the stack is not aligned");

/* Guest registers from the hart to those of the host, or back. */
static void move_registers(
	struct code *code, void (*move)(struct code *, enum x86_register, struct x86_place))
{
	for (unsigned int i = 0; i < REGISTER_SINK; i++) {
		struct x86_place place = guest_register(i);

		if (!place.memory) {
			move(code, place.reg, x86_memory(HART, 8 * i));
		}
	}
	move(code, RETIRED, IN_HART(retired));
}

static void put(struct code *code, enum x86_register reg, struct x86_place place)
{
	x86_store(code, place, reg);
}

static void put_enter(struct code *code)
{
	for (unsigned int i = 0; i < SAVED; i++) {
		x86(code, 0xff, X86_64, 6, x86_register(saved[i])); /* push */
	}
	x86_number(code, X86_ADD, X86_64, x86_register(RSP), -ALIGNMENT);
	x86_load(code, HART, x86_register(RDI));
	x86_load(code, RAX, x86_register(RSI));
	move_registers(code, x86_load);
	x86(code, 0xff, X86_64, 4, x86_register(RAX)); /* jmp */
}

/* Returns where those enter whose registers are in the hart already. */
static const uint8_t *put_leave(struct code *code)
{
	move_registers(code, put);
	const uint8_t *at = code->at;

	for (unsigned int i = 0; i < SAVED; i++) {
		x86_load(code, saved[i], x86_memory(RSP, ALIGNMENT + 8 * (SAVED - 1 - i)));
	}
	x86_number(code, X86_ADD, X86_64, x86_register(RSP), ALIGNMENT + 8 * SAVED);
	x86_byte(code, 0xc3); /* ret */
	return at;
}

/* False: the block ends here, and hart->pc is where to go on. `in` lies at any address. */
static bool interpret_one(struct hart *hart, const void *in, uint64_t pc, uint64_t block_end)
{
	struct instruction instructions[] = { { 0 }, { .op = OP_end } };

	memcpy(instructions, in, sizeof(instructions[0]));
	hart->block_end = block_end;
	return block_interpret(
		hart, &(struct block){ .pc = pc, .count = 1, .instructions = instructions });
}

static void put_interpret(struct code *code, const uint8_t *leave)
{
	move_registers(code, put);
	x86_number(code, X86_ADD, X86_64, x86_register(RSP), -ALIGNMENT);
	x86_load(code, RDI, x86_register(HART));
	x86_load(code, RSI, x86_register(RAX));
	x86_set(code, RAX, (uintptr_t)interpret_one);
	x86(code, 0xff, X86_64, 2, x86_register(RAX)); /* call */
	x86_number(code, X86_ADD, X86_64, x86_register(RSP), ALIGNMENT);
	x86(code, 0x84, X86_32, RAX, x86_register(RAX)); /* test */
	uint8_t *ends = x86_jump(code, X86_EQUAL);

	move_registers(code, x86_load);
	x86_byte(code, 0xc3); /* ret */
	x86_link(ends, code->at);
	x86_number(code, X86_ADD, X86_64, x86_register(RSP), 8); /* the way back */
	x86_set(code, RAX, 0);
	x86_link(x86_jump(code, X86_ALWAYS), leave);
}

void stubs_put(struct stubs *stubs, struct code *code)
{
	const uint8_t *left;

	stubs->leave = code->at;
	left = put_leave(code);
	stubs->interpret = code->at;
	put_interpret(code, left);
	stubs->enter = code->at;
	put_enter(code);
}

const uint8_t *stubs_enter(const struct stubs *stubs, const struct region *region,
	struct hart *hart, const uint8_t *code)
{
	const uint8_t *(*enter)(struct hart *, const uint8_t *) = (const uint8_t *(*)(struct hart *,
		const uint8_t *))(uintptr_t)region_executable(region, stubs->enter);

	return enter(hart, code);
}
