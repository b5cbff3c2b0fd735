/* SPDX-License-Identifier: MIT */
/*
 * Loads an ELF64 program for RISC-V. Nothing in the file is believed: a file that
 * is refused has written nothing to memory.
 */
#ifndef RISCV_LOADER_ELF_H
#define RISCV_LOADER_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/ram.h"

#define ELF_ERROR_BYTES 160

struct elf_error {
	char text[ELF_ERROR_BYTES]; /* one line: what is wrong, and where */
};

/* Returns false with an error, or sets where the program begins. `file` may have any alignment. */
bool elf_load(
	const void *file, size_t bytes, struct ram *ram, uint64_t *entry, struct elf_error *error);

#endif
