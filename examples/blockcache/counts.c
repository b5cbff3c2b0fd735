/* SPDX-License-Identifier: MIT */
/* The names of the counts, which equal the names of the events. */
#include "counts.h"

#include <inttypes.h>
#include <stdio.h>

void counts_print(const struct counts *counts)
{
	const struct {
		const char *event;
		uint64_t count;
	} rows[] = {
		{ "file_opened", counts->workload.file_opened },
		{ "worker_start", counts->workload.worker_start },
		{ "worker_end", counts->workload.worker_end },
		{ "request_begin", counts->workload.request_begin },
		{ "request_end", counts->workload.request_end },
		{ "block_verified", counts->workload.block_verified },
		{ "cache_hit", counts->cache.hit },
		{ "cache_miss", counts->cache.miss },
		{ "cache_wait", counts->cache.wait },
		{ "cache_fill", counts->cache.fill },
		{ "cache_evict", counts->cache.evict },
		{ "cache_write_back", counts->cache.write_back },
		{ "cache_flush", counts->cache.flush },
		{ "io_alloc", counts->io.alloc },
		{ "io_free", counts->io.free },
		{ "io_submit", counts->io.submit },
		{ "io_complete", counts->io.complete },
		{ "io_queue_full", counts->io.queue_full },
		{ "io_data", counts->io.data },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		printf("%s %" PRIu64 "\n", rows[i].event, rows[i].count);
	}
}
