/* SPDX-License-Identifier: MIT */
/* How translated code fires an event: an array of its arguments on the stack, and a call. */
#include "translate/trace-tcg.h"
#include "translate/translation.h"
#include "translate/translator.h"

/* What the host's calling convention lets a function change, but flags. */
static const uint8_t changed[] = { RAX, RCX, RDX, RSI, RDI, R8, R9, R10, R11 };

#define CHANGED (sizeof(changed) / sizeof(changed[0]))

/* Word n of what is on the stack. */
static struct x86_place word(unsigned int n)
{
	return x86_memory(RSP, 8 * n);
}

static void put_operands(struct code *code, const struct waymark_call *call)
{
	for (unsigned int i = 0; i < call->count; i++) {
		const struct waymark_operand *operand = &call->operands[i];

		if (operand->value) {
			x86_address_of(code, RDX, *operand->value);
		} else {
			x86_set(code, RDX, operand->constant);
		}
		x86_store(code, word(i), RDX);
	}
}

/* The arguments, and above them the registers, which are all as they were afterwards. */
void waymark_translate_call(const struct waymark_call *call)
{
	const struct hart *hart = call->cpu;
	struct code *code = translator_code(hart->translator);
	int32_t bytes = (8 * (call->count + CHANGED) + 15) / 16 * 16;

	x86_number(code, X86_ADD, X86_64, x86_register(RSP), -bytes);
	for (unsigned int i = 0; i < CHANGED; i++) {
		x86_store(code, word(call->count + i), changed[i]);
	}
	put_operands(code, call);
	x86_load(code, RDI, x86_register(RSP));
	x86_set(code, RAX, (uintptr_t)call->helper);
	x86(code, 0xff, X86_64, 2, x86_register(RAX)); /* call */
	for (unsigned int i = 0; i < CHANGED; i++) {
		x86_load(code, changed[i], word(call->count + i));
	}
	x86_number(code, X86_ADD, X86_64, x86_register(RSP), bytes);
}
