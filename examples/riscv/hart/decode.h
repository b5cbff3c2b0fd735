/* SPDX-License-Identifier: MIT */
/* Instructions as numbers and fields, for the interpreter and for translators. */
#ifndef RISCV_HART_DECODE_H
#define RISCV_HART_DECODE_H

#include <stdbool.h>
#include <stdint.h>

/* OP_<name> for each row; OP_end, which no word means, stands behind a block that is cut. */
enum operation {
	OP_illegal,
	OP_end,
#define INSTRUCTION(name, ...) OP_##name,
#include "hart/instructions.def"
};

struct instruction {
	uint8_t op; /* enum operation */
	uint8_t rd; /* REGISTER_SINK in place of 0 */
	uint8_t rs1; /* or the number that csrr*i have there */
	uint8_t rs2;
	int32_t imm; /* sign-extended */
	uint32_t bits; /* the word itself, for mtval */
	uint16_t csr;
	bool ends; /* the block: what comes next in memory need not be executed next */
};

/* What an instruction does with memory. */
struct access {
	uint8_t size; /* 0: nothing */
	bool store;
};

struct access decode_access(enum operation op);

/* Any word has a meaning; OP_illegal is one. */
struct instruction decode(uint32_t bits);

#endif
