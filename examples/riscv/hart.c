/* SPDX-License-Identifier: MIT */
/*
 * Runs a hart: block after block, interrupts between them, traps out of them. The thread that
 * machine.c starts for the hart calls hart_run(); the interpreter calls the functions for
 * instructions that change the hart.
 */
#include "hart.h"

#include <string.h>

#include "block.h"
#include "machine.h"
#include "trace-riscv.h"

#define MCAUSE_INTERRUPT (UINT64_C(1) << 63)

bool hart_init(struct hart *hart, struct machine *machine, unsigned int id)
{
	*hart = (struct hart){ .machine = machine, .id = id };
	hart->blocks = block_cache_create();
	if (!hart->blocks) {
		return false;
	}
	pthread_mutex_init(&hart->lock, NULL);
	pthread_cond_init(&hart->woken, NULL);
	return true;
}

void hart_fini(struct hart *hart)
{
	block_cache_destroy(hart->blocks);
	pthread_cond_destroy(&hart->woken);
	pthread_mutex_destroy(&hart->lock);
}

void hart_reset(struct hart *hart, uint64_t pc)
{
	memset(hart->x, 0, sizeof(hart->x));
	hart->x[REGISTER_A0] = hart->id;
	hart->x[REGISTER_HART] = (uintptr_t)hart;
	hart->pc = pc;
	hart->retired = 0;
	hart->mstatus = MSTATUS_MPP;
	hart->mie = hart->mtvec = hart->mscratch = 0;
	hart->mepc = hart->mcause = hart->mtval = 0;
	hart->lost = false;
}

uint64_t hart_pending(const struct hart *hart)
{
	return __atomic_load_n(&hart->interrupts, __ATOMIC_ACQUIRE);
}

void hart_raise(struct hart *hart, uint64_t interrupts)
{
	pthread_mutex_lock(&hart->lock);
	__atomic_fetch_or(&hart->interrupts, interrupts, __ATOMIC_RELEASE);
	pthread_cond_signal(&hart->woken);
	pthread_mutex_unlock(&hart->lock);
}

void hart_lower(struct hart *hart, uint64_t interrupts)
{
	__atomic_fetch_and(&hart->interrupts, ~interrupts, __ATOMIC_RELEASE);
}

/* `cause` and `value` are stored in the guest's CSRs. */
static void enter_handler(struct hart *hart, uint64_t cause, uint64_t value)
{
	hart->mcause = cause;
	hart->mepc = hart->pc;
	hart->mtval = value;
	hart->mstatus = MSTATUS_MPP | (hart->mstatus & MSTATUS_MIE ? MSTATUS_MPIE : 0);
	hart->pc = hart->mtvec;
	/* A fetch outside of RAM would trap again, endlessly. */
	if (!machine_ram(hart->machine, hart->pc, 4)) {
		hart->lost = true;
		hart_raise(hart, HART_STOP);
	}
}

void hart_trap(struct hart *hart, enum trap_cause cause, uint64_t value)
{
	hart->retired -= (hart->block_end - hart->pc) / 4;
	trace_guest_trap(hart, hart->id, cause, hart->pc, value);
	enter_handler(hart, cause, value);
}

void hart_return(struct hart *hart)
{
	bool enable = hart->mstatus & MSTATUS_MPIE;

	hart->mstatus = MSTATUS_MPP | MSTATUS_MPIE | (enable ? MSTATUS_MIE : 0);
	hart->pc = hart->mepc;
	trace_guest_mret(hart, hart->id, hart->pc);
}

void hart_wait(struct hart *hart)
{
	uint64_t wanted = hart->mie | HART_STOP;
	uint64_t interrupts;

	trace_guest_hart_wait(hart, hart->id);
	pthread_mutex_lock(&hart->lock);
	while (!((interrupts = hart_pending(hart)) & wanted)) {
		pthread_cond_wait(&hart->woken, &hart->lock);
	}
	pthread_mutex_unlock(&hart->lock);
	trace_guest_hart_wake(hart, hart->id, interrupts & HART_INTERRUPTS);
	hart->pc += 4;
}

void hart_step(struct hart *hart)
{
	uint64_t enabled = hart->mstatus & MSTATUS_MIE ? hart->mie : 0;
	uint64_t pending = hart_pending(hart) & (enabled | HART_FLUSH);

	if (pending & HART_FLUSH) {
		hart_lower(hart, HART_FLUSH);
		block_flush(hart, "events were switched");
	}
	if (pending & HART_INTERRUPTS) {
		/* A software interrupt has priority over a timer interrupt. */
		uint64_t cause = pending & HART_SOFTWARE ? 3 : 7;

		trace_guest_interrupt(hart, hart->id, cause, hart->pc);
		enter_handler(hart, MCAUSE_INTERRUPT | cause, 0);
	}
	const struct block *block = block_get(hart);

	if (block) {
		interpret(hart, block);
	}
}

void hart_run(struct hart *hart)
{
	trace_guest_hart_start(hart, hart->id, hart->pc);
	while (!(hart_pending(hart) & HART_STOP)) {
		hart_step(hart);
	}
	trace_guest_hart_stop(hart, hart->id, hart->retired);
}
