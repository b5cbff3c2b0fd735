/* SPDX-License-Identifier: MIT */
/* What the rules of instructions share: operands, results, and when they give up. */
#ifndef RISCV_TRANSLATE_RULE_H
#define RISCV_TRANSLATE_RULE_H

#include "translate/translation.h"

struct rule {
	void (*emit)(struct translation *t, const struct rule *rule);
	unsigned int opcode; /* or its number, where all of a kind share the opcode */
	enum x86_width width;
	unsigned int size; /* log2, of what is loaded or stored */
};

/* Loads and stores: rules_memory.c. */
void translate_load(struct translation *t, const struct rule *rule);
void translate_store(struct translation *t, const struct rule *rule);

static inline struct x86_place rs1(const struct translation *t)
{
	return guest_register(t->in->rs1);
}

static inline struct x86_place rs2(const struct translation *t)
{
	return guest_register(t->in->rs2);
}

/* Where the result is made: in its own register, or in rax where that has none. */
static inline enum x86_register result(const struct translation *t)
{
	struct x86_place rd = guest_register(t->in->rd);

	return rd.memory ? RAX : rd.reg;
}

/* Of 32 bits, a result is sign-extended. */
static inline void finish(struct translation *t, enum x86_register reg, enum x86_width width)
{
	struct x86_place rd = guest_register(t->in->rd);

	if (width == X86_32) {
		x86(&t->code, 0x63, X86_64, reg, x86_register(reg)); /* movsxd */
	}
	x86_store(&t->code, rd, reg);
}

/* A place as a register: its own, or this one. */
static inline enum x86_register in_register(
	struct translation *t, struct x86_place place, enum x86_register otherwise)
{
	if (place.memory) {
		x86_load(&t->code, otherwise, place);
	}
	return place.memory ? otherwise : place.reg;
}

/* The interpreter executes the instruction instead. */
static inline void interpret_if(struct translation *t, enum x86_condition condition)
{
	aside(t, ASIDE_INTERPRET, x86_jump(&t->code, condition), t->pc);
}

#endif
