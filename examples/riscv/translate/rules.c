/* SPDX-License-Identifier: MIT */
/*
 * A rule for each instruction that becomes code: who emits it, and the opcode that
 * does it on the host. The others are executed by the interpreter, as are loads
 * and stores that are not simply memory, and divisions that the host would trap on.
 */
#include "translate/rule.h"

/* The same, where the second operand is still wanted after the first was moved there. */
static enum x86_register result_beside_rs2(const struct translation *t)
{
	return t->in->rd == t->in->rs2 ? RAX : result(t);
}

static void constant(struct translation *t, const struct rule *rule)
{
	x86_set(&t->code, result(t), (int64_t)t->in->imm + (rule->opcode ? t->pc : 0));
	finish(t, result(t), X86_64);
}

static void add_immediate(struct translation *t, const struct rule *rule)
{
	enum x86_register reg = result(t);

	(void)rule;
	if (t->in->rs1 == 0) {
		x86_set(&t->code, reg, (int64_t)t->in->imm);
	} else if (rs1(t).memory || rs1(t).reg == reg || t->in->imm == 0) {
		x86_load(&t->code, reg, rs1(t));
		if (t->in->imm) {
			x86_number(&t->code, X86_ADD, X86_64, x86_register(reg), t->in->imm);
		}
	} else {
		x86_address_of(&t->code, reg, x86_memory(rs1(t).reg, t->in->imm));
	}
	finish(t, reg, X86_64);
}

static void with_immediate(struct translation *t, const struct rule *rule)
{
	enum x86_register reg = result(t);

	x86_load(&t->code, reg, rs1(t));
	x86_number(&t->code, rule->opcode, rule->width, x86_register(reg), t->in->imm);
	finish(t, reg, rule->width);
}

static void with_register(struct translation *t, const struct rule *rule)
{
	enum x86_register reg = result_beside_rs2(t);

	x86_load(&t->code, reg, rs1(t));
	x86(&t->code, rule->opcode, rule->width, reg, rs2(t));
	finish(t, reg, rule->width);
}

static void shift_immediate(struct translation *t, const struct rule *rule)
{
	enum x86_register reg = result(t);

	x86_load(&t->code, reg, rs1(t));
	x86(&t->code, 0xc1, rule->width, rule->opcode, x86_register(reg));
	x86_byte(&t->code, t->in->imm & (rule->width == X86_64 ? 63 : 31));
	finish(t, reg, rule->width);
}

/* The host takes as many bits of cl as the guest does of a register. */
static void shift(struct translation *t, const struct rule *rule)
{
	enum x86_register reg = result(t);

	x86_load(&t->code, RCX, rs2(t));
	x86_load(&t->code, reg, rs1(t));
	x86(&t->code, 0xd3, rule->width, rule->opcode, x86_register(reg));
	finish(t, reg, rule->width);
}

/* rd becomes the condition, 0 or 1. */
static void set_condition(struct translation *t, enum x86_condition condition)
{
	enum x86_register reg = result(t);

	x86(&t->code, 0x0f90 | condition, X86_32, 0, x86_register(RAX)); /* set al */
	x86(&t->code, 0x0fb6, X86_32, reg, x86_register(RAX)); /* movzx */
	finish(t, reg, X86_64);
}

static void compare(struct translation *t)
{
	if (t->in->rs2 == 0) {
		x86_number(&t->code, X86_CMP, X86_64, rs1(t), 0);
	} else {
		x86(&t->code, 0x3b, X86_64, in_register(t, rs1(t), RAX), rs2(t));
	}
}

static void set_less(struct translation *t, const struct rule *rule)
{
	compare(t);
	set_condition(t, rule->opcode);
}

static void set_less_immediate(struct translation *t, const struct rule *rule)
{
	x86_number(&t->code, X86_CMP, X86_64, rs1(t), t->in->imm);
	set_condition(t, rule->opcode);
}

static void multiply_high(struct translation *t, const struct rule *rule)
{
	x86_load(&t->code, RAX, rs1(t));
	x86(&t->code, 0xf7, X86_64, rule->opcode, rs2(t));
	x86_store(&t->code, guest_register(t->in->rd), RDX);
}

/* As if both were unsigned, less b where a is negative. */
static void multiply_high_mixed(struct translation *t, const struct rule *rule)
{
	x86_load(&t->code, RAX, rs1(t));
	x86_load(&t->code, RCX, x86_register(RAX));
	x86(&t->code, 0xc1, X86_64, X86_SAR, x86_register(RCX));
	x86_byte(&t->code, 63);
	x86(&t->code, 0x23, X86_64, RCX, rs2(t)); /* and */
	x86(&t->code, 0xf7, X86_64, rule->opcode, rs2(t));
	x86(&t->code, 0x2b, X86_64, RDX, x86_register(RCX)); /* sub */
	x86_store(&t->code, guest_register(t->in->rd), RDX);
}

/* The host traps for divisors 0 and, for the least of all numbers, -1. */
static void divide(struct translation *t, const struct rule *rule, enum x86_register from)
{
	x86_load(&t->code, RCX, rs2(t));
	x86(&t->code, 0x8d, rule->width, RDX, x86_memory(RCX, 1)); /* lea */
	x86_number(&t->code, X86_CMP, rule->width, x86_register(RDX), 1);
	interpret_if(t, X86_NOT_ABOVE);
	x86_load(&t->code, RAX, rs1(t));
	if (rule->opcode == 7) {
		rule->width == X86_64 ? x86_bytes(&t->code, "\x48\x99", 2)
				      : x86_byte(&t->code, 0x99); /* cqo, cdq */
	} else {
		x86(&t->code, 0x33, X86_32, RDX, x86_register(RDX)); /* xor */
	}
	x86(&t->code, 0xf7, rule->width, rule->opcode, x86_register(RCX));
	finish(t, from, rule->width);
}

static void quotient(struct translation *t, const struct rule *rule)
{
	divide(t, rule, RAX);
}

static void remainder_of(struct translation *t, const struct rule *rule)
{
	divide(t, rule, RDX);
}

static void full_fence(struct translation *t, const struct rule *rule)
{
	(void)rule;
	x86_bytes(&t->code, "\x0f\xae\xf0", 3); /* mfence */
}

/* A target that no instruction can have is a trap: the interpreter's. */
static void branch(struct translation *t, const struct rule *rule)
{
	uint64_t target = t->pc + t->in->imm;

	if (target % 4) {
		interpret_here(t);
		return;
	}
	compare(t);
	leave_to(t, rule->opcode, target);
	leave_to(t, X86_ALWAYS, t->pc + 4);
}

static void link_register(struct translation *t)
{
	if (t->in->rd != REGISTER_SINK) {
		x86_set(&t->code, RCX, t->pc + 4);
		x86_store(&t->code, guest_register(t->in->rd), RCX);
	}
}

static void jump(struct translation *t, const struct rule *rule)
{
	uint64_t target = t->pc + t->in->imm;

	(void)rule;
	if (target % 4) {
		interpret_here(t);
		return;
	}
	link_register(t);
	leave_to(t, X86_ALWAYS, target);
}

static void jump_to_register(struct translation *t, const struct rule *rule)
{
	(void)rule;
	x86_load(&t->code, RAX, rs1(t));
	if (t->in->imm) {
		x86_number(&t->code, X86_ADD, X86_64, x86_register(RAX), t->in->imm);
	}
	x86_number(&t->code, X86_AND, X86_64, x86_register(RAX), -2);
	x86(&t->code, 0xf6, X86_32, 0, x86_register(RAX)); /* test */
	x86_byte(&t->code, 2);
	interpret_if(t, X86_NOT_EQUAL);
	link_register(t);
	leave_to_rax(t);
}

static const struct rule rules[] = {
	[OP_lui] = { constant, 0 },
	[OP_auipc] = { constant, 1 },

	[OP_addi] = { add_immediate },
	[OP_slti] = { set_less_immediate, X86_LESS },
	[OP_sltiu] = { set_less_immediate, X86_BELOW },
	[OP_xori] = { with_immediate, X86_XOR, X86_64 },
	[OP_ori] = { with_immediate, X86_OR, X86_64 },
	[OP_andi] = { with_immediate, X86_AND, X86_64 },
	[OP_addiw] = { with_immediate, X86_ADD, X86_32 },
	[OP_slli] = { shift_immediate, X86_SHL, X86_64 },
	[OP_srli] = { shift_immediate, X86_SHR, X86_64 },
	[OP_srai] = { shift_immediate, X86_SAR, X86_64 },
	[OP_slliw] = { shift_immediate, X86_SHL, X86_32 },
	[OP_srliw] = { shift_immediate, X86_SHR, X86_32 },
	[OP_sraiw] = { shift_immediate, X86_SAR, X86_32 },

	[OP_add] = { with_register, 0x03, X86_64 },
	[OP_sub] = { with_register, 0x2b, X86_64 },
	[OP_xor] = { with_register, 0x33, X86_64 },
	[OP_or] = { with_register, 0x0b, X86_64 },
	[OP_and] = { with_register, 0x23, X86_64 },
	[OP_addw] = { with_register, 0x03, X86_32 },
	[OP_subw] = { with_register, 0x2b, X86_32 },
	[OP_mul] = { with_register, 0x0faf, X86_64 },
	[OP_mulw] = { with_register, 0x0faf, X86_32 },
	[OP_slt] = { set_less, X86_LESS },
	[OP_sltu] = { set_less, X86_BELOW },
	[OP_sll] = { shift, X86_SHL, X86_64 },
	[OP_srl] = { shift, X86_SHR, X86_64 },
	[OP_sra] = { shift, X86_SAR, X86_64 },
	[OP_sllw] = { shift, X86_SHL, X86_32 },
	[OP_srlw] = { shift, X86_SHR, X86_32 },
	[OP_sraw] = { shift, X86_SAR, X86_32 },

	[OP_mulh] = { multiply_high, 5 },
	[OP_mulhu] = { multiply_high, 4 },
	[OP_mulhsu] = { multiply_high_mixed, 4 },
	[OP_div] = { quotient, 7, X86_64 },
	[OP_divu] = { quotient, 6, X86_64 },
	[OP_rem] = { remainder_of, 7, X86_64 },
	[OP_remu] = { remainder_of, 6, X86_64 },
	[OP_divw] = { quotient, 7, X86_32 },
	[OP_divuw] = { quotient, 6, X86_32 },
	[OP_remw] = { remainder_of, 7, X86_32 },
	[OP_remuw] = { remainder_of, 6, X86_32 },

	[OP_beq] = { branch, X86_EQUAL },
	[OP_bne] = { branch, X86_NOT_EQUAL },
	[OP_blt] = { branch, X86_LESS },
	[OP_bge] = { branch, X86_NOT_LESS },
	[OP_bltu] = { branch, X86_BELOW },
	[OP_bgeu] = { branch, X86_NOT_BELOW },
	[OP_jal] = { jump },
	[OP_jalr] = { jump_to_register },

	[OP_lb] = { translate_load, 0x0fbe, X86_64, 0 },
	[OP_lh] = { translate_load, 0x0fbf, X86_64, 1 },
	[OP_lw] = { translate_load, 0x63, X86_64, 2 },
	[OP_ld] = { translate_load, 0x8b, X86_64, 3 },
	[OP_lbu] = { translate_load, 0x0fb6, X86_32, 0 },
	[OP_lhu] = { translate_load, 0x0fb7, X86_32, 1 },
	[OP_lwu] = { translate_load, 0x8b, X86_32, 2 },
	[OP_sb] = { translate_store, 0x88, X86_32, 0 },
	[OP_sh] = { translate_store, 0x6689, X86_32, 1 },
	[OP_sw] = { translate_store, 0x89, X86_32, 2 },
	[OP_sd] = { translate_store, 0x89, X86_64, 3 },
	[OP_fence] = { full_fence },
};

bool translate_instruction(struct translation *t)
{
	unsigned int op = t->in->op;

	if (op >= sizeof(rules) / sizeof(rules[0]) || !rules[op].emit) {
		return false;
	}
	rules[op].emit(t, &rules[op]);
	return true;
}
