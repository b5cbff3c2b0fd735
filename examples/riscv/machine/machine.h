/* SPDX-License-Identifier: MIT */
/* A machine: memory, devices, and harts, each of them a thread. */
#ifndef RISCV_MACHINE_MACHINE_H
#define RISCV_MACHINE_MACHINE_H

#include <stdio.h>

#include "hart/hart.h"
#include "machine/bus.h"
#include "machine/ram.h"

#define MACHINE_HARTS 4
#define MACHINE_LOST 125 /* the status where a hart cannot go on */

struct machine {
	struct ram ram;
	struct bus bus;
	struct hart harts[MACHINE_HARTS];
	unsigned int hart_count;
	int status; /* atomic: -1 until somebody stops the machine */
};

/* Returns 0 or an errno. */
int machine_init(struct machine *machine, unsigned int harts, uint64_t ram_bytes);
/* The harts translate what they execute. Returns false with errno, as hart_translate(). */
bool machine_translate(struct machine *machine);

/* Translations are written to this file, or to none, as translator_dump() does. */
void machine_dump(struct machine *machine, FILE *file);

void machine_fini(struct machine *machine);

/*
 * Runs all harts from `entry` on, until machine_stop(). Returns the status that
 * it was stopped with, or -1 with errno where there are no threads for the harts.
 */
int machine_run(struct machine *machine, uint64_t entry);

/* Ends what runs, from any thread. The first status counts. */
void machine_stop(struct machine *machine, int status);

#endif
