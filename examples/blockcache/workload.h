/* SPDX-License-Identifier: MIT */
/*
 * The work: threads read and change blocks, popular ones more often, and compare the bytes from
 * the cache with the expected content.
 */
#ifndef BLOCKCACHE_WORKLOAD_H
#define BLOCKCACHE_WORKLOAD_H

#include <stdint.h>

#include "cache/cache.h"
#include "counts.h"
#include "options.h"

struct workload {
	const struct options *options;
	struct cache *cache;
	struct io_engine *io;
	uint64_t blocks;
	uint64_t file_bytes;
	uint64_t *sums; /* of each block; the thread that holds a block owns its entry */
	struct workload_counts counts;
};

/*
 * Reads the whole file once, so that later every block's content is known.
 * Returns 0 or an errno.
 */
int workload_init(struct workload *w);
void workload_fini(struct workload *w);

/* Runs all workers to their end. Returns 0, an errno, or EBADMSG for a wrong block. */
int workload_run(struct workload *w);

/* Compares the file with the content that the workers left. Returns as workload_run() does. */
int workload_verify_file(struct workload *w);

#endif
