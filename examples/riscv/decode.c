/* SPDX-License-Identifier: MIT */
/* Decodes with the table of instructions.def, and builds a word's immediate from its bits. */
#include "decode.h"

#include <stddef.h>

#include "hart.h"

enum format { FORMAT_R, FORMAT_I, FORMAT_S, FORMAT_B, FORMAT_U, FORMAT_J };

struct pattern {
	uint32_t match;
	uint32_t mask;
	uint8_t op;
	uint8_t format;
	uint8_t access;
	bool store;
	bool ends;
};

static const struct pattern patterns[] = {
#define INSTRUCTION(kind, name, match, mask, ...) { match, mask, OP_##name, kind(__VA_ARGS__) },
#define COMPUTE(format, result) FORMAT_##format, 0, false, false
#define BRANCH(condition) FORMAT_B, 0, false, true
#define JUMP(format, target) FORMAT_##format, 0, false, true
#define LOAD(type) FORMAT_I, sizeof(type), false, false
#define STORE(type) FORMAT_S, sizeof(type), true, false
#define SYSTEM(action) FORMAT_R, 0, false, true
#include "instructions.def"
};

/* Returns `count` bits of a word, moved from bit `from` to bit `to`. */
static uint32_t move(uint32_t bits, unsigned int from, unsigned int count, unsigned int to)
{
	return (bits >> from & ((1u << count) - 1)) << to;
}

static int32_t immediate(uint32_t bits, enum format format)
{
	uint32_t sign = bits >> 31 ? UINT32_MAX : 0; /* bit 31 is the sign in all formats */

	switch (format) {
	case FORMAT_I:
		return sign << 11 | move(bits, 20, 11, 0);
	case FORMAT_S:
		return sign << 11 | move(bits, 25, 6, 5) | move(bits, 7, 5, 0);
	case FORMAT_B:
		return sign << 12 | move(bits, 7, 1, 11) | move(bits, 25, 6, 5) |
		       move(bits, 8, 4, 1);
	case FORMAT_U:
		return bits & 0xfffff000;
	case FORMAT_J:
		return sign << 20 | move(bits, 12, 8, 12) | move(bits, 20, 1, 11) |
		       move(bits, 21, 10, 1);
	default:
		return 0;
	}
}

struct instruction decode(uint32_t bits)
{
	struct instruction in = { .op = OP_illegal, .bits = bits, .ends = true };
	unsigned int rd = bits >> 7 & 31;

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		const struct pattern *p = &patterns[i];

		if ((bits & p->mask) == p->match) {
			in.op = p->op;
			in.rd = rd ? rd : REGISTER_SINK;
			in.rs1 = bits >> 15 & 31;
			in.rs2 = bits >> 20 & 31;
			in.imm = immediate(bits, p->format);
			in.access = p->access;
			in.store = p->store;
			in.ends = p->ends;
			break;
		}
	}
	return in;
}
