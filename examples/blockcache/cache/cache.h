/* SPDX-License-Identifier: MIT */
/*
 * A write-back cache of blocks, which evicts the least recently used one. One thread at
 * a time uses a block: between cache_get() and cache_put() it owns the block's data and
 * its place in the file.
 */
#ifndef BLOCKCACHE_CACHE_H
#define BLOCKCACHE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/io.h"

struct cache;
struct cache_slot;

/* Counts of the events of trace-events so far. */
struct cache_counts {
	uint64_t hit;
	uint64_t miss;
	uint64_t wait;
	uint64_t fill;
	uint64_t evict;
	uint64_t write_back;
	uint64_t flush;
};

/* The engine stays the caller's. Returns NULL with errno. */
struct cache *cache_create(struct io_engine *io, size_t block_bytes, size_t slots);

/* Loses dirty blocks: call cache_flush() first. cache_destroy(NULL) is legal. */
void cache_destroy(struct cache *cache);

/*
 * Borrows a block on behalf of `request`, waiting for its former user. NULL with `error`,
 * an errno.
 */
struct cache_slot *cache_get(struct cache *cache, uint64_t request, uint64_t block, int *error);

void *cache_slot_data(struct cache_slot *slot);

/* Gives a block back; `dirty` when its data changed. */
void cache_put(struct cache *cache, struct cache_slot *slot, bool dirty);

/* Writes what is dirty. Nothing may be lent. Returns 0 or an errno. */
int cache_flush(struct cache *cache, uint64_t request);

void cache_get_counts(struct cache *cache, struct cache_counts *counts);

#endif
