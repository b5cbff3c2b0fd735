/* SPDX-License-Identifier: MIT */
/*
 * The workload's own counts of its events, and their output: one line an event, so
 * that a trace of the run can be compared with them.
 */
#ifndef BLOCKCACHE_COUNTS_H
#define BLOCKCACHE_COUNTS_H

#include <stdint.h>

#include "cache/cache.h"
#include "io/io.h"

struct workload_counts {
	uint64_t file_opened;
	uint64_t worker_start;
	uint64_t worker_end;
	uint64_t request_begin;
	uint64_t request_end;
	uint64_t block_verified;
};

struct counts {
	struct workload_counts workload;
	struct cache_counts cache;
	struct io_counts io;
};

/* Prints lines `<event> <count>` in the order of the trace-events files. */
void counts_print(const struct counts *counts);

#endif
