/* SPDX-License-Identifier: MIT */
/* Control and status registers. Called by the hart's own thread. */
#ifndef RISCV_HART_CSR_H
#define RISCV_HART_CSR_H

#include "hart/decode.h"
#include "hart/hart.h"

void csr_reset(struct hart *hart);

enum csr_operation { CSR_WRITE, CSR_SET, CSR_CLEAR };

/*
 * The instructions csrrw, csrrs and csrrc, with `operand` from a register or in
 * the instruction itself. The hart goes on behind it or, where there is no such
 * register or it cannot be written, at its handler.
 */
void csr_execute(struct hart *hart, const struct instruction *in, enum csr_operation operation,
	uint64_t operand);

#endif
