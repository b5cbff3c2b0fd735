/* SPDX-License-Identifier: MIT */
/* The command line, parsed and checked. */
#ifndef BLOCKCACHE_OPTIONS_H
#define BLOCKCACHE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct options {
	const char *path;
	uint64_t block_bytes;
	uint64_t cache_blocks;
	uint64_t threads;
	uint64_t requests; /* number per thread */
	uint64_t write_percent;
	uint64_t seed;
	bool device; /* use the file through a separate process */
};

/* Reads the command line; prints and exits on --help and on an error. */
void options_parse(struct options *options, int argc, char **argv);

#endif
