/* SPDX-License-Identifier: MIT */
/* Traps: what an instruction may not do, and interrupts. Called by the hart's own thread. */
#ifndef RISCV_HART_TRAP_H
#define RISCV_HART_TRAP_H

#include "hart/hart.h"

#define MSTATUS_MIE (UINT64_C(1) << 3)
#define MSTATUS_MPIE (UINT64_C(1) << 7)
#define MSTATUS_MPP (UINT64_C(3) << 11) /* there is machine mode only */

#define MCAUSE_INTERRUPT (UINT64_C(1) << 63)

enum trap_cause {
	TRAP_FETCH_MISALIGNED = 0,
	TRAP_FETCH_FAULT = 1,
	TRAP_ILLEGAL = 2,
	TRAP_BREAKPOINT = 3,
	TRAP_LOAD_MISALIGNED = 4,
	TRAP_LOAD_FAULT = 5,
	TRAP_STORE_MISALIGNED = 6,
	TRAP_STORE_FAULT = 7,
	TRAP_ECALL = 11,
};

/*
 * The instruction at hart->pc is not executed, the hart goes on at its handler.
 * `value` is for mtval. Returns false, for who tells so that there was a trap.
 */
bool trap(struct hart *hart, enum trap_cause cause, uint64_t value);

/* Takes the most urgent of these interrupts, between two blocks. */
void trap_interrupt(struct hart *hart, uint64_t interrupts);

/* The instruction mret. */
void trap_return(struct hart *hart);

#endif
