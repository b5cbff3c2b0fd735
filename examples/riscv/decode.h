/* SPDX-License-Identifier: MIT */
/* Decodes instructions: from words to operations and fields. Called by block.c. */
#ifndef RISCV_DECODE_H
#define RISCV_DECODE_H

#include <stdbool.h>
#include <stdint.h>

struct event_call;

/* An OP_<name> for each row of the table, and three values that are no instructions. */
enum operation {
	OP_illegal,
	OP_end, /* leaves a block that no jump ends */
	OP_event, /* calls an event's helper */
#define INSTRUCTION(kind, name, ...) OP_##name,
#include "instructions.def"
};

struct instruction {
	uint8_t op; /* enum operation */
	uint8_t rd; /* REGISTER_SINK if the word says 0 */
	uint8_t rs1; /* a number in csrr*i */
	uint8_t rs2;
	int32_t imm; /* sign-extended */
	uint32_t bits; /* the undecoded word */
	uint8_t access; /* bytes that the instruction loads or stores; 0: no access */
	bool store;
	bool ends; /* the instruction ends a block: execution may continue elsewhere */
	const struct event_call *call; /* for OP_event: see block.h */
};

/* Decodes any word; a word that is no instruction becomes OP_illegal. */
struct instruction decode(uint32_t bits);

#endif
