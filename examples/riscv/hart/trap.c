/* SPDX-License-Identifier: MIT */
/* The way to the guest's handler and back. */
#include "hart/trap.h"

#include "hart/trace.h"

#define MTVEC_VECTORED 1
#define MTVEC_MODE 3

/* A handler that is not in memory would trap for ever: such a hart stops instead. */
static void enter(struct hart *hart, uint64_t cause, uint64_t value)
{
	uint64_t vector = hart->mtvec & ~(uint64_t)MTVEC_MODE;

	if (cause & MCAUSE_INTERRUPT && hart->mtvec & MTVEC_VECTORED) {
		vector += 4 * (cause & ~MCAUSE_INTERRUPT);
	}
	hart->mcause = cause;
	hart->mepc = hart->pc;
	hart->mtval = value;
	hart->mstatus = MSTATUS_MPP | (hart->mstatus & MSTATUS_MIE ? MSTATUS_MPIE : 0);
	hart_unmask(hart);
	hart->reserved = false;
	hart->pc = vector;
	if (!ram_at(hart->ram, vector, 4)) {
		hart->lost = true;
		hart_raise(hart, HART_STOP);
	}
}

bool trap(struct hart *hart, enum trap_cause cause, uint64_t value)
{
	hart->retired -= (hart->block_end - hart->pc) / 4;
	trace_guest_trap(hart, hart->id, cause, hart->pc, value);
	enter(hart, cause, value);
	return false;
}

void trap_interrupt(struct hart *hart, uint64_t interrupts)
{
	static const uint64_t causes[] = { 11, 3, 7 }; /* the most urgent first */
	unsigned int i = 0;

	while (!(interrupts >> causes[i] & 1)) {
		i++;
	}
	trace_guest_interrupt(hart, hart->id, causes[i], hart->pc);
	enter(hart, MCAUSE_INTERRUPT | causes[i], 0);
}

void trap_return(struct hart *hart)
{
	bool enabled = hart->mstatus & MSTATUS_MPIE;

	hart->mstatus = MSTATUS_MPP | MSTATUS_MPIE | (enabled ? MSTATUS_MIE : 0);
	hart_unmask(hart);
	hart->pc = hart->mepc;
	trace_guest_mret(hart, hart->id, hart->pc);
}
