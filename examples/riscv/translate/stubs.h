/* SPDX-License-Identifier: MIT */
/*
 * What all translations share: the way in, the way out, and the way to the
 * interpreter, for a single instruction. Only here are there addresses in code.
 */
#ifndef RISCV_TRANSLATE_STUBS_H
#define RISCV_TRANSLATE_STUBS_H

#include "hart/hart.h"
#include "translate/region.h"
#include "translate/x86_64.h"

#ifdef __x86_64__
#define STUBS_RUN_HERE 1
#else
#define STUBS_RUN_HERE 0
#endif

struct stubs {
	const uint8_t *enter;
	const uint8_t *leave; /* with rax for who entered; hart->pc is right */
	const uint8_t
		*interpret; /* the instruction at rax, its pc in rdx, the block's end in rcx */
};

void stubs_put(struct stubs *stubs, struct code *code);

/* Executes code with this hart. Returns the jump that it left by, or NULL. */
const uint8_t *stubs_enter(const struct stubs *stubs, const struct region *region,
	struct hart *hart, const uint8_t *code);

#endif
