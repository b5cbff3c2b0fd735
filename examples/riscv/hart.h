/* SPDX-License-Identifier: MIT */
/*
 * A hart: RV64IM with Zicsr and Zifencei, machine mode only. Its state belongs to the
 * thread that runs it, except `interrupts`. It is a vCPU of the trace: events of the hart
 * take a struct hart as their `cpu`.
 */
#ifndef RISCV_HART_H
#define RISCV_HART_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define REGISTER_A0 10
#define REGISTER_SINK 32 /* takes what instructions write to x0, which stays 0 */
#define REGISTER_HART 33 /* the hart's own address: `cpu` of the events in decoded blocks */
#define REGISTERS 34

/* Bits of mip and mie, and two of ours that cannot be masked. */
#define HART_SOFTWARE (UINT64_C(1) << 3)
#define HART_TIMER (UINT64_C(1) << 7)
#define HART_INTERRUPTS (HART_SOFTWARE | HART_TIMER)
#define HART_FLUSH (UINT64_C(1) << 62) /* decode all blocks again */
#define HART_STOP (UINT64_C(1) << 63)

#define MSTATUS_MIE (UINT64_C(1) << 3)
#define MSTATUS_MPIE (UINT64_C(1) << 7)
#define MSTATUS_MPP (UINT64_C(3) << 11) /* always: there is machine mode only */

enum trap_cause {
	TRAP_FETCH_MISALIGNED = 0,
	TRAP_FETCH_FAULT = 1,
	TRAP_ILLEGAL = 2,
	TRAP_BREAKPOINT = 3,
	TRAP_LOAD_FAULT = 5,
	TRAP_STORE_FAULT = 7,
	TRAP_ECALL = 11,
};

struct block_cache;
struct instruction;
struct machine;

struct hart {
	uint64_t x[REGISTERS];
	uint64_t pc; /* right between blocks, and where an instruction may trap */
	uint64_t retired; /* instructions, all of the running block included */
	uint64_t block_end; /* address behind the running block */
	uint64_t interrupts; /* atomic: mip, HART_FLUSH and HART_STOP */

	uint64_t mstatus;
	uint64_t mie;
	uint64_t mtvec;
	uint64_t mscratch;
	uint64_t mepc;
	uint64_t mcause;
	uint64_t mtval;

	unsigned int id;
	bool lost; /* trapped without a handler; mcause, mepc and mtval are of that trap */
	struct machine *machine;
	struct block_cache *blocks;
	pthread_mutex_t lock; /* for wfi, and the thread that wakes it */
	pthread_cond_t woken;
};

/* The machine outlives the hart. Returns false without memory. */
bool hart_init(struct hart *hart, struct machine *machine, unsigned int id);
void hart_fini(struct hart *hart);

/* Sets the registers to what they are after power on: a0 is the hart's number, others 0. */
void hart_reset(struct hart *hart, uint64_t pc);

/* Executes until HART_STOP is raised, by another thread or because the hart is lost. */
void hart_run(struct hart *hart);

/* Takes an interrupt, if one is pending and not masked, and executes one block. */
void hart_step(struct hart *hart);

/* Make interrupts pending, or not. Any thread may call these. */
void hart_raise(struct hart *hart, uint64_t interrupts);
void hart_lower(struct hart *hart, uint64_t interrupts);
uint64_t hart_pending(const struct hart *hart);

/*
 * The instruction at hart->pc traps: it does not retire, and the hart goes on at its
 * handler. `value` is for mtval. A hart without a handler in RAM is lost and stops.
 */
void hart_trap(struct hart *hart, enum trap_cause cause, uint64_t value);

/* The instructions mret and wfi, at hart->pc. */
void hart_return(struct hart *hart);
void hart_wait(struct hart *hart);

/*
 * The instructions csrrw, csrrs and csrrc, at hart->pc: csr.c. `operand` is a register or
 * the number in the instruction. Traps if there is no such CSR, or it is read-only.
 */
enum csr_operation { CSR_WRITE, CSR_SET, CSR_CLEAR };

void csr_execute(struct hart *hart, const struct instruction *in, enum csr_operation operation,
	uint64_t operand);

#endif
