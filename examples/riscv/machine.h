/* SPDX-License-Identifier: MIT */
/* A machine: RAM, devices, and harts. Each hart is a thread. */
#ifndef RISCV_MACHINE_H
#define RISCV_MACHINE_H

#include <stddef.h>

#include "clint.h"
#include "hart.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the guest's memory is used as it is: the host must be little-endian, too"
#endif

#define MACHINE_HARTS CLINT_HARTS
#define MACHINE_LOST 125 /* exit status when a hart cannot continue */

#define RAM_BASE UINT64_C(0x80000000)

/* Input from the host that the guest has not read yet: devices.c. */
struct console {
	pthread_mutex_t lock; /* for all of the fields */
	uint8_t input[4096];
	size_t next;
	size_t end;
};

struct machine {
	uint8_t *ram; /* harts may race in RAM, as the guest's code does */
	uint64_t ram_bytes;
	struct hart harts[MACHINE_HARTS];
	unsigned int hart_count;
	struct clint clint;
	struct console console;
	int status; /* atomic: -1 until the machine stops */
};

/*
 * Allocates `ram_bytes` of memory, all zero, and harts that do not run yet. Returns 0 or an errno.
 */
int machine_init(struct machine *machine, unsigned int harts, uint64_t ram_bytes);
void machine_fini(struct machine *machine);

/*
 * Runs all harts from `entry` until machine_stop(). Returns the status given to machine_stop(), or
 * -1 with errno if threads cannot be created.
 */
int machine_run(struct machine *machine, uint64_t entry);

/* Stops the harts, from any thread. Only the first status counts. */
void machine_stop(struct machine *machine, int status);

/* Returns the address of `size` bytes of the guest, or NULL if not all of them are RAM. */
static inline void *machine_ram(const struct machine *machine, uint64_t address, uint64_t size)
{
	uint64_t offset = address - RAM_BASE;

	return size <= machine->ram_bytes && offset <= machine->ram_bytes - size
		       ? machine->ram + offset
		       : NULL;
}

#endif
