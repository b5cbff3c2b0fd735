/* SPDX-License-Identifier: MIT */
/* Loads and stores: of memory in place, of all else by the interpreter. */
#include "hart/trace.h"
#include "translate/rule.h"
#include "translate/trace-tcg.h"

/*
 * rcx becomes the offset in the memory, where all of the bytes are there. Returns the
 * address, as a register and what is to be added to it: rax, or the guest's own.
 */
static struct x86_place offset(struct translation *t, const struct rule *rule)
{
	struct x86_place address = x86_register(in_register(t, rs1(t), RAX));
	struct x86_place last = IN_HART(translated.last);

	address.offset = t->in->imm;
	last.offset += rule->size * sizeof(uint64_t);
	if (address.offset < 0) {
		x86_address_of(&t->code, RAX, address);
		address = x86_register(RAX);
	}
	x86(&t->code, 0x8d, X86_64, RCX,
		x86_memory(address.reg, address.offset - (int64_t)RAM_BASE)); /* lea */
	x86(&t->code, 0x3b, X86_64, RCX, last); /* cmp */
	interpret_if(t, X86_ABOVE);
	return address;
}

/* What the interpreter does instead, it also traces. */
static void trace_access(
	struct translation *t, const struct rule *rule, struct x86_place address, bool store)
{
	trace_guest_memory_tcg(
		t->hart, x86_register(HART), t->pc, address, 1u << rule->size, store);
}

void translate_load(struct translation *t, const struct rule *rule)
{
	enum x86_register reg = result(t);
	struct x86_place address = offset(t, rule);

	trace_access(t, rule, address, false);
	x86(&t->code, 0x03, X86_64, RCX, IN_HART(translated.ram)); /* add */
	x86(&t->code, rule->opcode, rule->width, reg, x86_memory(RCX, 0));
	finish(t, reg, X86_64);
}

/*
 * Where code may be written, or two pages, the interpreter does it. Looking first is
 * enough: before other harts execute what this one stores, they have a fence.i.
 */
void translate_store(struct translation *t, const struct rule *rule)
{
	struct x86_place address = offset(t, rule);

	if (rule->size > 0) {
		x86(&t->code, 0xf7, X86_32, 0, x86_register(RCX)); /* test */
		x86_bytes(&t->code, (uint8_t[4]){ (1 << rule->size) - 1 }, 4);
		interpret_if(t, X86_NOT_EQUAL);
	}
	x86_load(&t->code, RDX, x86_register(RCX));
	x86(&t->code, 0xc1, X86_64, X86_SHR, x86_register(RDX));
	x86_byte(&t->code, RAM_PAGE_SHIFT);
	x86(&t->code, 0x03, X86_64, RDX, IN_HART(translated.code)); /* add */
	x86(&t->code, 0x80, X86_32, X86_CMP, x86_memory(RDX, 0));
	x86_byte(&t->code, 0);
	interpret_if(t, X86_NOT_EQUAL);
	trace_access(t, rule, address, true);
	x86(&t->code, 0x03, X86_64, RCX, IN_HART(translated.ram)); /* add */
	x86(&t->code, rule->opcode, rule->width, in_register(t, rs2(t), RAX), x86_memory(RCX, 0));
}
