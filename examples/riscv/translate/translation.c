/* SPDX-License-Identifier: MIT */
/* The frame of a translation: its beginning, its ways out, and what stands behind it. */
#include "translate/translation.h"

#include <assert.h>

#include "hart/trace.h"
#include "translate/trace-tcg.h"

#define BLOCK_SHIFT 5 /* log2 of the size of a struct block */

_Static_assert(sizeof(struct block) == 1 << BLOCK_SHIFT, "leave_to_rax() finds blocks by shifts");

static const uint8_t host_registers[REGISTER_SINK + 1] = {
	[2] = RBX, /* sp */
	[5] = RSI, /* t0 */
	[10] = RDI, /* a0 to a7 */
	[11] = R8,
	[12] = R9,
	[13] = R10,
	[14] = R11,
	[15] = R12,
	[16] = R13,
	[17] = R14,
};

struct x86_place guest_register(unsigned int number)
{
	return host_registers[number] ? x86_register(host_registers[number])
				      : x86_memory(HART, 8 * number);
}

void aside(struct translation *t, enum aside_kind kind, uint8_t *from, uint64_t pc)
{
	t->asides[t->asides_count++] =
		(struct aside){ .kind = kind, .from = from, .in = t->in, .pc = pc };
}

void leave_to(struct translation *t, enum x86_condition condition, uint64_t target)
{
	aside(t, ASIDE_EXIT, x86_jump(&t->code, condition), target);
}

/* Goes on at rax, straight away where the table of blocks has it. */
void leave_to_rax(struct translation *t)
{
	struct code *code = &t->code;

	x86_load(code, RCX, x86_register(RAX));
	x86_number(code, X86_AND, X86_32, x86_register(RCX), 4 * (BLOCKS - 1));
	x86(code, 0xc1, X86_32, X86_SHL, x86_register(RCX));
	x86_byte(code, BLOCK_SHIFT - 2);
	x86(code, 0x03, X86_64, RCX, IN_HART(translated.blocks));
	x86(code, 0x3b, X86_64, RAX, x86_memory(RCX, offsetof(struct block, pc)));
	uint8_t *other = x86_jump(code, X86_NOT_EQUAL);

	x86(code, 0xff, X86_64, 4, x86_memory(RCX, offsetof(struct block, code))); /* jmp */
	x86_link(other, code->at);
	x86_store(code, IN_HART(pc), RAX);
	x86(code, 0x33, X86_32, RAX, x86_register(RAX));
	x86(code, 0xff, X86_64, 4, IN_HART(translated.leave));
}

static void interpret(struct translation *t, const struct instruction *in, uint64_t pc)
{
	uint64_t end = t->block->pc + 4 * t->block->count;
	uint8_t *from = x86_address(&t->code, RAX);

	t->constants[t->constants_count++] = (struct constant){ .from = from, .in = in };
	x86_set(&t->code, RDX, pc);
	x86_set(&t->code, RCX, end);
	x86(&t->code, 0xff, X86_64, 2, IN_HART(translated.interpret)); /* call */
}

void interpret_here(struct translation *t)
{
	interpret(t, t->in, t->pc);
}

/* An exit tells where its jump is, so that it can be patched. */
static void put_exit(struct translation *t, const struct aside *a)
{
	struct code *code = &t->code;

	x86_set(code, RAX, a->pc);
	x86_store(code, IN_HART(pc), RAX);
	if (a->kind == ASIDE_EXIT) {
		x86_link(x86_address(code, RAX), a->from);
	} else {
		x86(code, 0x33, X86_32, RAX, x86_register(RAX)); /* xor */
	}
	x86(code, 0xff, X86_64, 4, IN_HART(translated.leave)); /* jmp */
}

static void put_aside(struct translation *t, const struct aside *a)
{
	x86_link(a->from, t->code.at);
	if (a->kind != ASIDE_INTERPRET) {
		put_exit(t, a);
		return;
	}
	interpret(t, a->in, a->pc);
	x86_link(x86_jump(&t->code, X86_ALWAYS), a->resume);
}

/* Its fields and zeros: what lies between them differs from copy to copy. */
static void put_constant(struct translation *t, const struct constant *constant)
{
	static const uint8_t zeros[sizeof(struct instruction)];
	size_t bytes = offsetof(struct instruction, ends) + sizeof(constant->in->ends);

	x86_link(constant->from, t->code.at);
	x86_bytes(&t->code, constant->in, bytes);
	x86_bytes(&t->code, zeros, sizeof(struct instruction) - bytes);
}

static void put_check(struct translation *t)
{
	const uint8_t *begin = t->code.at;

	x86_load(&t->code, RAX, IN_HART(interrupts));
	x86(&t->code, 0x85, X86_64, RAX, IN_HART(unmasked)); /* test */
	aside(t, ASIDE_INTERRUPTED, x86_jump(&t->code, X86_NOT_EQUAL), t->pc);
	assert(t->code.at == begin + TRANSLATION_CHECK);
	(void)begin;
}

/* Asides of an instruction go on behind it. */
static void put_instruction(struct translation *t)
{
	unsigned int first = t->asides_count;

	if (!translate_instruction(t)) {
		block_trace_access(t->hart, t->in, t->pc); /* atomics tell the rest themselves */
		interpret_here(t);
	}
	for (unsigned int i = first; i < t->asides_count; i++) {
		t->asides[i].resume = t->code.at;
	}
}

void translate_block(struct translation *t, const struct block *block)
{
	t->block = block;
	t->in = block->instructions;
	t->pc = block->pc;
	t->asides_count = t->constants_count = 0;
	put_check(t);
	x86_number(&t->code, X86_ADD, X86_64, x86_register(RETIRED), block->count);
	trace_guest_block_tcg(t->hart, x86_register(HART), block->pc, block->count);
	for (; t->in < block->instructions + block->count; t->in++, t->pc += 4) {
		put_instruction(t);
	}
	if (!block->instructions[block->count - 1].ends) {
		leave_to(t, X86_ALWAYS, t->pc);
	}
	for (unsigned int i = 0; i < t->asides_count; i++) {
		put_aside(t, &t->asides[i]);
	}
	for (unsigned int i = 0; i < t->constants_count; i++) {
		put_constant(t, &t->constants[i]);
	}
}
