/* SPDX-License-Identifier: MIT */
/*
 * The cache's slots and the index of their blocks. One lock guards everything but
 * the data of a busy slot, which belongs to the thread that made it busy; the lock is
 * not held during I/O. A dirty slot keeps its block until it is clean, so no thread
 * reads from the file a block that is newer in memory.
 */
#include "cache/cache.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "scopes.h"
#include "trace/control.h"
#include "trace.h"

struct cache_slot {
	LIST_ENTRY(cache_slot) chain; /* in its bucket, while the slot holds a block */
	TAILQ_ENTRY(cache_slot) age;
	uint64_t block;
	char *data;
	bool used; /* the slot holds a block */
	bool busy;
	bool dirty;
};

struct cache {
	struct io_engine *io;
	size_t block_bytes;
	size_t slot_count;
	pthread_mutex_t lock;
	pthread_cond_t released;
	TAILQ_HEAD(, cache_slot) by_age; /* least recently used first */
	LIST_HEAD(bucket, cache_slot) * buckets; /* as many buckets as slots */
	struct cache_slot *slots;
	char *data;
	struct cache_counts counts;
};

static struct bucket *bucket_of(const struct cache *cache, uint64_t block)
{
	return &cache->buckets[block % cache->slot_count];
}

static struct cache_slot *find(const struct cache *cache, uint64_t block)
{
	struct cache_slot *slot;

#if TRACE_CACHE_LOOKUP_ENABLED
	unsigned int steps = 0;

	LIST_FOREACH(slot, bucket_of(cache, block), chain)
	{
		steps++;
		if (slot->block == block) {
			break;
		}
	}
	trace_cache_lookup(block, steps);
#else
	LIST_FOREACH(slot, bucket_of(cache, block), chain)
	{
		if (slot->block == block) {
			break;
		}
	}
#endif
	return slot;
}

static struct cache_slot *oldest(const struct cache *cache)
{
	struct cache_slot *slot;

	TAILQ_FOREACH(slot, &cache->by_age, age)
	{
		if (!slot->busy) {
			break;
		}
	}
	return slot;
}

static void lend(struct cache *cache, struct cache_slot *slot)
{
	slot->busy = true;
	TAILQ_REMOVE(&cache->by_age, slot, age);
	TAILQ_INSERT_TAIL(&cache->by_age, slot, age);
}

static void release(struct cache *cache, struct cache_slot *slot)
{
	slot->busy = false;
	pthread_cond_broadcast(&cache->released);
}

static void wait_for_release(struct cache *cache, uint64_t request, uint64_t block, const char *why)
{
	WAYMARK_SCOPE(Work, "wait for a block", why);
	cache->counts.wait++;
	trace_cache_wait(request, block, why);
	pthread_cond_wait(&cache->released, &cache->lock);
}

/* Writes an unused slot's block, without the lock during the write. */
static int write_back(struct cache *cache, uint64_t request, struct cache_slot *slot)
{
	WAYMARK_SCOPE(Work, "write back", slot->block);
	slot->busy = true;
	cache->counts.write_back++;
	trace_cache_write_back(request, slot->block, slot);
	pthread_mutex_unlock(&cache->lock);
	int error = io_write(cache->io, request, slot->block * cache->block_bytes, slot->data,
		cache->block_bytes);

	pthread_mutex_lock(&cache->lock);
	slot->dirty = error != 0;
	release(cache, slot);
	return error;
}

static void forget(struct cache_slot *slot)
{
	LIST_REMOVE(slot, chain);
	slot->used = false;
}

/* Gives a clean slot to another block and reads that block. */
static int fill(struct cache *cache, uint64_t request, struct cache_slot *slot, uint64_t block)
{
	WAYMARK_SCOPE(Work, "fill", block);
	if (slot->used) {
		cache->counts.evict++;
		trace_cache_evict(request, slot->block, slot);
		forget(slot);
	}
	slot->block = block;
	slot->used = true;
	LIST_INSERT_HEAD(bucket_of(cache, block), slot, chain);
	lend(cache, slot);
	cache->counts.fill++;
	trace_cache_fill(request, block, slot);
	pthread_mutex_unlock(&cache->lock);
	int error = io_read(
		cache->io, request, block * cache->block_bytes, slot->data, cache->block_bytes);

	pthread_mutex_lock(&cache->lock);
	if (error) {
		forget(slot);
		release(cache, slot);
	}
	return error;
}

/*
 * Tries once to borrow a block. Returns NULL without an error if the state has changed during a
 * wait or a write-back; the caller must try again.
 */
static struct cache_slot *try_get(struct cache *cache, uint64_t request, uint64_t block, int *error)
{
	struct cache_slot *slot = find(cache, block);

	if (slot && slot->busy) {
		wait_for_release(cache, request, block, "the block is in use");
		return NULL;
	}
	if (slot) {
		lend(cache, slot);
		cache->counts.hit++;
		trace_cache_hit(request, block, slot);
		return slot;
	}
	slot = oldest(cache);
	if (!slot) {
		wait_for_release(cache, request, block, "every slot is in use");
		return NULL;
	}
	if (slot->dirty) {
		*error = write_back(cache, request, slot);
		return NULL;
	}
	cache->counts.miss++;
	trace_cache_miss(request, block);
	*error = fill(cache, request, slot, block);
	return *error ? NULL : slot;
}

struct cache_slot *cache_get(struct cache *cache, uint64_t request, uint64_t block, int *error)
{
	struct cache_slot *slot;

	*error = 0;
	pthread_mutex_lock(&cache->lock);
	do {
		slot = try_get(cache, request, block, error);
	} while (!slot && !*error);
	pthread_mutex_unlock(&cache->lock);
	return slot;
}

void *cache_slot_data(struct cache_slot *slot)
{
	return slot->data;
}

void cache_put(struct cache *cache, struct cache_slot *slot, bool dirty)
{
	pthread_mutex_lock(&cache->lock);
	slot->dirty |= dirty;
	release(cache, slot);
	pthread_mutex_unlock(&cache->lock);
}

int cache_flush(struct cache *cache, uint64_t request)
{
	uint64_t dirty = 0;
	int error = 0;

	pthread_mutex_lock(&cache->lock);
	for (size_t i = 0; i < cache->slot_count && !error; i++) {
		if (cache->slots[i].dirty) {
			error = write_back(cache, request, &cache->slots[i]);
			dirty++;
		}
	}
	cache->counts.flush++;
	trace_cache_flush(dirty);
	pthread_mutex_unlock(&cache->lock);
	return error;
}

void cache_get_counts(struct cache *cache, struct cache_counts *counts)
{
	pthread_mutex_lock(&cache->lock);
	*counts = cache->counts;
	pthread_mutex_unlock(&cache->lock);
}

static bool allocate(struct cache *cache)
{
	cache->slots = calloc(cache->slot_count, sizeof(*cache->slots));
	cache->buckets = calloc(cache->slot_count, sizeof(*cache->buckets));
	cache->data = calloc(cache->slot_count, cache->block_bytes);
	return cache->slots && cache->buckets && cache->data;
}

struct cache *cache_create(struct io_engine *io, size_t block_bytes, size_t slots)
{
	struct cache *cache = calloc(1, sizeof(*cache));

	if (!cache) {
		return NULL;
	}
	cache->io = io;
	cache->block_bytes = block_bytes;
	cache->slot_count = slots;
	pthread_mutex_init(&cache->lock, NULL);
	pthread_cond_init(&cache->released, NULL);
	TAILQ_INIT(&cache->by_age);
	if (!allocate(cache)) {
		cache_destroy(cache);
		errno = ENOMEM;
		return NULL;
	}
	for (size_t i = 0; i < slots; i++) {
		cache->slots[i].data = cache->data + i * block_bytes;
		TAILQ_INSERT_TAIL(&cache->by_age, &cache->slots[i], age);
	}
	return cache;
}

void cache_destroy(struct cache *cache)
{
	if (!cache) {
		return;
	}
	free(cache->data);
	free(cache->buckets);
	free(cache->slots);
	pthread_cond_destroy(&cache->released);
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}
