/* SPDX-License-Identifier: MIT */
/* The command line, parsed and checked. */
#ifndef RISCV_OPTIONS_H
#define RISCV_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct options {
	const char *program;
	const char *disk; /* NULL: none */
	bool write; /* the disk may be changed */
	bool count;
	bool interpret; /* rather than translate */
	const char *dump; /* where translated code goes; NULL: nowhere */
	uint64_t harts;
	uint64_t memory; /* MiB */
};

/* Reads the command line; prints and exits on --help and on an error. */
void options_parse(struct options *options, int argc, char **argv);

#endif
