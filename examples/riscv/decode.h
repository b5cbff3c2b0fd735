/* SPDX-License-Identifier: MIT */
/* Decodes instructions: from words to numbers and fields. Called where blocks are made. */
#ifndef RISCV_DECODE_H
#define RISCV_DECODE_H

#include <stdbool.h>
#include <stdint.h>

struct event_call;

/* An OP_<name> for each row of the table, and three that are no instructions. */
enum operation {
	OP_illegal,
	OP_end, /* leaves a block that no jump ends */
	OP_event, /* calls an event's helper */
#define INSTRUCTION(kind, name, ...) OP_##name,
#include "instructions.def"
};

struct instruction {
	uint8_t op; /* enum operation */
	uint8_t rd; /* REGISTER_SINK in place of 0 */
	uint8_t rs1; /* csrr*i have a number there */
	uint8_t rs2;
	int32_t imm; /* sign-extended */
	uint32_t bits; /* the word */
	uint8_t access; /* bytes that it loads or stores; 0: none */
	bool store;
	bool ends; /* the block: the next instruction in memory need not be the next to run */
	const struct event_call *call; /* of OP_event: block.h */
};

/* Any word decodes, to OP_illegal if it is no instruction. */
struct instruction decode(uint32_t bits);

#endif
