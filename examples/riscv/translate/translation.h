/* SPDX-License-Identifier: MIT */
/*
 * From a block to code. While translated code runs, rbp is the hart, some guest
 * registers and the count of retired instructions live in registers of the host,
 * the same ones everywhere; rax, rcx and rdx are free. Code has no addresses in
 * it, only distances within itself and offsets in the hart: the same block always
 * becomes the same bytes, wherever they lie.
 * Only calls of events have addresses, and those are there while an event is on.
 */
#ifndef RISCV_TRANSLATE_TRANSLATION_H
#define RISCV_TRANSLATE_TRANSLATION_H

#include <stddef.h>

#include "hart/block.h"
#include "translate/x86_64.h"

#define HART RBP
#define RETIRED R15
#define IN_HART(field) x86_memory(HART, offsetof(struct hart, field))

/* At most, of a block with all that stands behind it. */
#define TRANSLATION_BYTES (BLOCK_INSTRUCTIONS * 512)

/* The code begins with a look at the interrupts. Who has just done that begins behind it. */
#define TRANSLATION_CHECK 20

/* Where a guest register is while translated code runs: in the host's, or in the hart. */
struct x86_place guest_register(unsigned int number);

/* What stands behind a block's code, because it is rarely executed. */
struct aside {
	enum aside_kind {
		ASIDE_EXIT, /* goes on at `pc`; the jump there can be patched */
		ASIDE_INTERRUPTED, /* goes on at `pc` after a look at the interrupts */
		ASIDE_INTERPRET, /* executes `in` at `pc`, then goes on at `resume` */
	} kind;
	uint8_t *from;
	uint8_t *resume;
	const struct instruction *in;
	uint64_t pc;
};

struct constant {
	uint8_t *from;
	const struct instruction *in;
};

#define ASIDES (3 * BLOCK_INSTRUCTIONS + 3)

struct translation {
	struct code code;
	struct hart *hart;
	const struct block *block;
	const struct instruction *in; /* being translated */
	uint64_t pc; /* of it */
	unsigned int asides_count;
	unsigned int constants_count;
	struct aside asides[ASIDES];
	struct constant constants[ASIDES]; /* instructions that are kept with the code */
};

/* Translates a block; there is room for TRANSLATION_BYTES. */
void translate_block(struct translation *t, const struct block *block);

/* One instruction, t->in: rules.c. False: it is for the interpreter. */
bool translate_instruction(struct translation *t);

/* The jump, or where one leads from, that an aside of this instruction is for. */
void aside(struct translation *t, enum aside_kind kind, uint8_t *from, uint64_t pc);

/* The block's ways out: to an address that is known now, or once rax is. */
void leave_to(struct translation *t, enum x86_condition condition, uint64_t target);
void leave_to_rax(struct translation *t);

/* Has the interpreter execute t->in, in place. Comes back unless that ends the block. */
void interpret_here(struct translation *t);

#endif
