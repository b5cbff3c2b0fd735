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

/* Counts of this directory's events so far. */
struct cache_counts {
	uint64_t hit;
	uint64_t miss;
	uint64_t wait;
	uint64_t fill;
	uint64_t evict;
	uint64_t write_back;
	uint64_t flush;
};

/* The caller keeps ownership of the engine. Returns NULL with errno. */
struct cache *cache_create(struct io_engine *io, size_t block_bytes, size_t slots);

/* Discards dirty blocks: call cache_flush() first. cache_destroy(NULL) is legal. */
void cache_destroy(struct cache *cache);

/*
 * Borrows a block on behalf of `request`, waiting while another thread uses it. On failure returns
 * NULL and sets `error` to an errno.
 */
struct cache_slot *cache_get(struct cache *cache, uint64_t request, uint64_t block, int *error);

void *cache_slot_data(struct cache_slot *slot);

/* Gives back a borrowed block; `dirty` if its data changed. */
void cache_put(struct cache *cache, struct cache_slot *slot, bool dirty);

/* Writes all dirty blocks. No block may be borrowed. Returns 0 or an errno. */
int cache_flush(struct cache *cache, uint64_t request);

void cache_get_counts(struct cache *cache, struct cache_counts *counts);

#endif
