/* SPDX-License-Identifier: MIT */
/* Bytes of instructions: prefixes, opcode, ModRM, offset. A REX prefix is always there. */
#include "translate/x86_64.h"

#include <assert.h>
#include <string.h>

#define DISTANCE 4 /* bytes of a jump's */

void x86_byte(struct code *code, uint8_t byte)
{
	x86_bytes(code, &byte, 1);
}

void x86_bytes(struct code *code, const void *bytes, size_t count)
{
	assert(count <= (size_t)(code->end - code->at));
	memcpy(code->at, bytes, count);
	code->at += count;
}

static void little(struct code *code, uint64_t value, unsigned int bytes)
{
	for (; bytes > 0; bytes--, value >>= 8) {
		x86_byte(code, value);
	}
}

/* ModRM, with the byte behind it that rsp and r12 have, and the offset in one byte or four. */
static void operands(struct code *code, unsigned int reg, struct x86_place place)
{
	bool small = place.offset == (int8_t)place.offset;
	unsigned int mode = !place.memory ? 3 : small ? 1 : 2;

	x86_byte(code, mode << 6 | (reg & 7) << 3 | (place.reg & 7));
	if (place.memory && (place.reg & 7) == RSP) {
		x86_byte(code, 0x24);
	}
	if (place.memory) {
		little(code, place.offset, small ? 1 : 4);
	}
}

static void rex(struct code *code, enum x86_width width, unsigned int reg, unsigned int base)
{
	x86_byte(code, 0x40 | (width == X86_64) << 3 | (reg >> 3) << 2 | base >> 3);
}

void x86(struct code *code, unsigned int opcode, enum x86_width width, unsigned int reg,
	struct x86_place place)
{
	bool prefix = opcode >> 8 == 0x66;

	if (prefix) {
		x86_byte(code, 0x66);
	}
	rex(code, width, reg, place.reg);
	if (opcode >> 8 && !prefix) {
		x86_byte(code, opcode >> 8);
	}
	x86_byte(code, opcode);
	operands(code, reg, place);
}

void x86_number(struct code *code, enum x86_operation operation, enum x86_width width,
	struct x86_place place, int32_t number)
{
	bool small = number == (int8_t)number;

	x86(code, small ? 0x83 : 0x81, width, operation, place);
	little(code, number, small ? 1 : 4);
}

void x86_set(struct code *code, enum x86_register reg, uint64_t value)
{
	bool sign_extended = value == (uint64_t)(int32_t)value;

	if (value >> 32 && sign_extended) {
		x86(code, 0xc7, X86_64, 0, x86_register(reg));
		little(code, value, 4);
		return;
	}
	rex(code, value >> 32 ? X86_64 : X86_32, 0, reg);
	x86_byte(code, 0xb8 | (reg & 7));
	little(code, value, value >> 32 ? 8 : 4);
}

void x86_load(struct code *code, enum x86_register reg, struct x86_place place)
{
	if (place.memory || place.reg != reg) {
		x86(code, 0x8b, X86_64, reg, place);
	}
}

void x86_store(struct code *code, struct x86_place place, enum x86_register reg)
{
	if (place.memory || place.reg != reg) {
		x86(code, 0x89, X86_64, reg, place);
	}
}

void x86_address_of(struct code *code, enum x86_register reg, struct x86_place place)
{
	x86(code, 0x8d, X86_64, reg, x86_memory(place.reg, place.offset)); /* lea */
}

static uint8_t *distance(struct code *code)
{
	little(code, 0, DISTANCE);
	return code->at - DISTANCE;
}

uint8_t *x86_jump(struct code *code, enum x86_condition condition)
{
	if (condition == X86_ALWAYS) {
		x86_byte(code, 0xe9);
	} else {
		x86_byte(code, 0x0f);
		x86_byte(code, 0x80 | condition);
	}
	return distance(code);
}

uint8_t *x86_address(struct code *code, enum x86_register reg)
{
	rex(code, X86_64, reg, 0);
	x86_byte(code, 0x8d);
	x86_byte(code, (reg & 7) << 3 | 5);
	return distance(code);
}

void x86_link(uint8_t *distance, const uint8_t *target)
{
	int32_t bytes = target - (distance + DISTANCE);

	memcpy(distance, &bytes, DISTANCE);
}
