/* SPDX-License-Identifier: MIT */
/*
 * A hart: RV64IM with Zicsr and Zifencei, machine mode only. Its state belongs to the thread that
 * runs it, except `interrupts`. It is a vCPU of the trace: the `cpu` of the hart's events is its
 * struct hart.
 */
#ifndef RISCV_HART_H
#define RISCV_HART_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define REGISTER_A0 10
#define REGISTER_SINK 32 /* receives values that instructions write to x0, which stays 0 */
#define REGISTER_HART 33 /* the hart's address: `cpu` of the events in decoded blocks */
#define REGISTERS 34

/* Bits of mip and mie, and two internal bits that cannot be masked. */
#define HART_SOFTWARE (UINT64_C(1) << 3)
#define HART_TIMER (UINT64_C(1) << 7)
#define HART_INTERRUPTS (HART_SOFTWARE | HART_TIMER)
#define HART_FLUSH (UINT64_C(1) << 62) /* decode all blocks again */
#define HART_STOP (UINT64_C(1) << 63)

#define MSTATUS_MIE (UINT64_C(1) << 3)
#define MSTATUS_MPIE (UINT64_C(1) << 7)
#define MSTATUS_MPP (UINT64_C(3) << 11) /* always set: there is machine mode only */

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
	uint64_t pc; /* valid between blocks, and where an instruction may trap */
	uint64_t retired; /* retired instructions, with all of the running block */
	uint64_t block_end; /* address after the running block */
	uint64_t interrupts; /* atomic: mip, HART_FLUSH and HART_STOP */

	uint64_t mstatus;
	uint64_t mie;
	uint64_t mtvec;
	uint64_t mscratch;
	uint64_t mepc;
	uint64_t mcause;
	uint64_t mtval;

	unsigned int id;
	bool lost; /* trapped without a handler; mcause, mepc and mtval describe that trap */
	struct machine *machine;
	struct block_cache *blocks;
	pthread_mutex_t lock; /* for wfi and the thread that wakes the hart */
	pthread_cond_t woken;
};

/* The machine must outlive the hart. Returns false if there is no memory. */
bool hart_init(struct hart *hart, struct machine *machine, unsigned int id);
void hart_fini(struct hart *hart);

/* Sets the registers to their values after power on: a0 is the hart's number, the others are 0. */
void hart_reset(struct hart *hart, uint64_t pc);

/* Executes until HART_STOP is raised by another thread, or by the hart itself when it is lost. */
void hart_run(struct hart *hart);

/* Takes an interrupt, if one is pending and not masked, and executes one block. */
void hart_step(struct hart *hart);

/* Set or clear pending interrupts. Any thread may call these. */
void hart_raise(struct hart *hart, uint64_t interrupts);
void hart_lower(struct hart *hart, uint64_t interrupts);
uint64_t hart_pending(const struct hart *hart);

/*
 * Makes the instruction at hart->pc trap: it does not retire, and the hart continues at its
 * handler. `value` is stored in mtval. A hart without a handler in RAM is lost and stops.
 */
void hart_trap(struct hart *hart, enum trap_cause cause, uint64_t value);

/* Execute the instructions mret and wfi at hart->pc. */
void hart_return(struct hart *hart);
void hart_wait(struct hart *hart);

/*
 * Execute the instructions csrrw, csrrs and csrrc at hart->pc: csr.c. `operand` is a register's
 * value or the number in the instruction. Traps if the CSR does not exist or is read-only.
 */
enum csr_operation { CSR_WRITE, CSR_SET, CSR_CLEAR };

void csr_execute(struct hart *hart, const struct instruction *in, enum csr_operation operation,
	uint64_t operand);

#endif
