/* SPDX-License-Identifier: MIT */
/*
 * Loads an ELF64 program for RISC-V. The loader trusts nothing in the file, and writes no
 * memory for a file that it refuses. main() calls it.
 */
#ifndef RISCV_LOADER_H
#define RISCV_LOADER_H

#include <stddef.h>

#include "machine.h"

struct elf_error {
	char text[160]; /* one line: the error and its place */
};

/* Returns false with an error, or sets `entry`. `file` may have any alignment. */
bool elf_load(const void *file, size_t bytes, struct machine *machine, uint64_t *entry,
	struct elf_error *error);

#endif
