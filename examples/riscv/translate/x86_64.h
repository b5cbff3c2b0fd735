/* SPDX-License-Identifier: MIT */
/*
 * An assembler for the few encodings that translated code needs. An opcode is
 * written as in the manuals: 0x0fb6 has two bytes, 0x6689 the prefix of 16 bits.
 * Who uses it has made sure that there is room.
 */
#ifndef RISCV_TRANSLATE_X86_64_H
#define RISCV_TRANSLATE_X86_64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum x86_register { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

/* Of conditional jumps; the numbers are those of the encoding. */
enum x86_condition {
	X86_BELOW = 2,
	X86_NOT_BELOW = 3,
	X86_EQUAL = 4,
	X86_NOT_EQUAL = 5,
	X86_NOT_ABOVE = 6,
	X86_ABOVE = 7,
	X86_LESS = 12,
	X86_NOT_LESS = 13,
	X86_ALWAYS = 16,
};

/* Numbers that x86_number() and x86_shift() have in their opcode. */
enum x86_operation { X86_ADD, X86_OR, X86_AND = 4, X86_XOR = 6, X86_CMP = 7 };
enum x86_shift { X86_SHL = 4, X86_SHR = 5, X86_SAR = 7 };

/* All operations are of 64 bits, or of 32 and zero above them. */
enum x86_width { X86_32, X86_64 };

/* An operand: a register, or what is in memory at register + offset. Or the sum itself. */
struct x86_place {
	bool memory;
	uint8_t reg;
	int32_t offset;
};

struct code {
	uint8_t *at;
	uint8_t *end;
};

static inline struct x86_place x86_register(enum x86_register reg)
{
	return (struct x86_place){ .reg = reg };
}

static inline struct x86_place x86_memory(enum x86_register reg, int32_t offset)
{
	return (struct x86_place){ .memory = true, .reg = reg, .offset = offset };
}

void x86_byte(struct code *code, uint8_t byte);
void x86_bytes(struct code *code, const void *bytes, size_t count);

/* An instruction with a register, or a number in its stead, and a place. */
void x86(struct code *code, unsigned int opcode, enum x86_width width, unsigned int reg,
	struct x86_place place);

/* Operations with a number, on 64 or 32 bits. */
void x86_number(struct code *code, enum x86_operation operation, enum x86_width width,
	struct x86_place place, int32_t number);

/* A register becomes a number, or what is in a place; nothing for itself. */
void x86_set(struct code *code, enum x86_register reg, uint64_t value);
void x86_load(struct code *code, enum x86_register reg, struct x86_place place);
void x86_store(struct code *code, struct x86_place place, enum x86_register reg);

/* A register becomes a place's register plus its offset. */
void x86_address_of(struct code *code, enum x86_register reg, struct x86_place place);

/*
 * A jump, or `reg` becomes an address, of what is not yet known. Returns where its
 * distance is; x86_link() puts it there once the target is known, in the same code.
 */
uint8_t *x86_jump(struct code *code, enum x86_condition condition);
uint8_t *x86_address(struct code *code, enum x86_register reg);
void x86_link(uint8_t *distance, const uint8_t *target);

#endif
