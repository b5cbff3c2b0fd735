/* SPDX-License-Identifier: MIT */
/*
 * A hart: RV64IMA with Zicsr and Zifencei, machine mode only. Its state belongs
 * to the thread that runs it, but for `interrupts`, which any thread may raise.
 *
 * The registers stand first and in the order of their numbers: translated code
 * finds them at fixed offsets. x[0] is never written; x[REGISTER_SINK] takes what
 * instructions write to x0.
 */
#ifndef RISCV_HART_HART_H
#define RISCV_HART_HART_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "machine/bus.h"
#include "machine/ram.h"

#define REGISTER_SINK 32
#define REGISTER_A0 10

/* Bits of mip and mie, and beside them two of ours, which cannot be masked. */
#define HART_SOFTWARE (UINT64_C(1) << 3)
#define HART_TIMER (UINT64_C(1) << 7)
#define HART_EXTERNAL (UINT64_C(1) << 11)
#define HART_INTERRUPTS (HART_SOFTWARE | HART_TIMER | HART_EXTERNAL)
#define HART_FLUSH (UINT64_C(1) << 62) /* drop all blocks: code was written, or events switched */
#define HART_STOP (UINT64_C(1) << 63)

struct block;
struct block_cache;
struct translator;

/* What translated code finds at fixed offsets. */
struct translated {
	const void *leave; /* code that all translations share: translate/stubs.h */
	const void *interpret;
	const struct block *blocks;
	uint8_t *ram;
	const uint8_t *code; /* ram->code */
	uint64_t last[4]; /* offset in memory where 1, 2, 4, 8 bytes are */
};

struct hart {
	uint64_t x[REGISTER_SINK + 1];
	uint64_t pc; /* while a block runs, only right where something may trap */
	uint64_t retired; /* instructions, all of the block that runs among them */
	uint64_t block_end; /* of the block that runs */
	uint64_t interrupts; /* atomic: mip, HART_FLUSH and HART_STOP */
	uint64_t unmasked; /* which of them are let through: hart_unmask() */
	struct translated translated;

	uint64_t mstatus;
	uint64_t misa;
	uint64_t mie;
	uint64_t mtvec;
	uint64_t mscratch;
	uint64_t mepc;
	uint64_t mcause;
	uint64_t mtval;
	uint64_t mhartid;
	uint64_t zero; /* what registers read that are always zero */

	bool reserved; /* by lr, until the next sc or trap */
	uint64_t reserved_address;
	uint64_t reserved_value;

	bool lost; /* trapped where there is no handler; the trap's registers tell which */
	unsigned int id;
	struct ram *ram;
	const struct bus *bus;
	struct block_cache *blocks;
	struct translator *translator; /* NULL: all is interpreted */
	pthread_mutex_t lock; /* for who waits in wfi, and who wakes it */
	pthread_cond_t woken;
};

/* Memory and bus stay the caller's, and have to outlive the hart. Returns false without memory. */
bool hart_init(struct hart *hart, unsigned int id, struct ram *ram, const struct bus *bus);
void hart_fini(struct hart *hart);

/* From now on blocks are translated. Returns false with errno: ENOTSUP where the host is another.
 */
bool hart_translate(struct hart *hart);

/* Registers as they are after power on, but a0, which is the hart's number. */
void hart_reset(struct hart *hart, uint64_t pc);

/* Executes until HART_STOP is raised, by others or because the hart is lost. */
void hart_run(struct hart *hart);

/* Once mie or mstatus has changed. */
void hart_unmask(struct hart *hart);

/*
 * Takes one of these interrupts, if mie and mstatus let it through, and executes a
 * block; translated ones go on until one is pending that is let through.
 */
void hart_step(struct hart *hart, uint64_t interrupts);

/* Interrupts become pending, or are no longer so. Any thread may call these. */
void hart_raise(struct hart *hart, uint64_t interrupts);
void hart_lower(struct hart *hart, uint64_t interrupts);

/* Waits until an interrupt is pending that mie lets through, or the machine stops. */
void hart_wait(struct hart *hart);

#endif
