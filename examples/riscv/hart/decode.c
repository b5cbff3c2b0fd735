/* SPDX-License-Identifier: MIT */
/* The table of instructions.def, and where each format has its immediate. */
#include "hart/decode.h"

#include <stddef.h>

#include "hart/hart.h"

enum format { FORMAT_R, FORMAT_I, FORMAT_S, FORMAT_B, FORMAT_U, FORMAT_J };

struct pattern {
	uint32_t match;
	uint32_t mask;
	uint8_t op;
	uint8_t format;
	bool ends;
};

static const struct pattern patterns[] = {
#define ROW(name, match, mask, format, ends) { match, mask, OP_##name, FORMAT_##format, ends },
#define COMPUTE(name, match, mask, format, ...) ROW(name, match, mask, format, false)
#define BRANCH(name, match, mask, ...) ROW(name, match, mask, B, true)
#define JUMP(name, match, mask, format, ...) ROW(name, match, mask, format, true)
#define LOAD(name, match, mask, ...) ROW(name, match, mask, I, false)
#define STORE(name, match, mask, ...) ROW(name, match, mask, S, false)
#define AMO(name, match, mask, ...) ROW(name, match, mask, R, false)
#define CALL(name, match, mask, ...) ROW(name, match, mask, R, false)
#define SYSTEM(name, match, mask, ...) ROW(name, match, mask, R, true)
#include "hart/instructions.def"
};

static const struct access accesses[] = {
	[OP_lr_w] = { 4, false },
	[OP_sc_w] = { 4, true },
	[OP_lr_d] = { 8, false },
	[OP_sc_d] = { 8, true },
#define LOAD(name, match, mask, type) [OP_##name] = { sizeof(type), false },
#define STORE(name, match, mask, type) [OP_##name] = { sizeof(type), true },
#define AMO(name, match, mask, type, ...) [OP_##name] = { sizeof(type), true },
#include "hart/instructions.def"
};

struct access decode_access(enum operation op)
{
	return op < sizeof(accesses) / sizeof(accesses[0]) ? accesses[op]
							   : (struct access){ 0, false };
}

/* Bits `from` and up of a word, so many, moved to bit `to`. */
static uint32_t move(uint32_t bits, unsigned int from, unsigned int count, unsigned int to)
{
	return (bits >> from & ((1u << count) - 1)) << to;
}

static int32_t immediate(uint32_t bits, enum format format)
{
	uint32_t sign = bits >> 31 ? UINT32_MAX : 0; /* bit 31 is the sign in all of them */

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

static const struct pattern *find(uint32_t bits)
{
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		if ((bits & patterns[i].mask) == patterns[i].match) {
			return &patterns[i];
		}
	}
	return NULL;
}

struct instruction decode(uint32_t bits)
{
	const struct pattern *pattern = find(bits);
	unsigned int rd = bits >> 7 & 31;

	if (!pattern) {
		return (struct instruction){ .op = OP_illegal, .bits = bits, .ends = true };
	}
	return (struct instruction){
		.op = pattern->op,
		.rd = rd ? rd : REGISTER_SINK,
		.rs1 = bits >> 15 & 31,
		.rs2 = bits >> 20 & 31,
		.imm = immediate(bits, pattern->format),
		.bits = bits,
		.csr = bits >> 20,
		.ends = pattern->ends,
	};
}
