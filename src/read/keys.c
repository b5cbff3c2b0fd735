/* SPDX-License-Identifier: MIT */
/*
 * Open addressing with linear probing. At most half of the table is full, and there is no hole
 * between a key and its home. Called by analyse and the reader of captures.
 */
#include "read/keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define FIRST_CAPACITY 64

void keys_fini(struct keys *k)
{
	free(k->slots);
	*k = (struct keys){ 0 };
}

/* A sum of products: the multiplications run in parallel. */
static inline size_t home_of(const struct keys *k, const struct key *key)
{
	uint64_t thread = (uint64_t)key->pid << 32 | key->tid;
	uint64_t name = (uint64_t)key->trace << 32 | key->name;
	uint64_t hash = (uint64_t)key->scope * UINT64_C(0x9e3779b97f4a7c15) +
			thread * UINT64_C(0xbf58476d1ce4e5b9) + name * UINT64_C(0x94d049bb133111eb);

	return (size_t)((hash ^ hash >> 29) >> 32) & (k->capacity - 1);
}

/* Returns the slot of the key, or the free slot that it would get. */
static inline struct key_slot *find(const struct keys *k, const struct key *key)
{
	size_t at = home_of(k, key);

	while (k->slots[at].value != KEYS_NONE &&
		memcmp(&k->slots[at].key, key, sizeof(*key)) != 0) {
		at = (at + 1) & (k->capacity - 1);
	}
	return &k->slots[at];
}

uint32_t keys_get(const struct keys *k, const struct key *key)
{
	return k->capacity ? find(k, key)->value : KEYS_NONE;
}

static void grow(struct keys *k)
{
	struct keys old = *k;

	k->capacity = old.capacity ? 2 * old.capacity : FIRST_CAPACITY;
	k->slots = xcalloc(k->capacity, sizeof(*k->slots));
	for (size_t i = 0; i < k->capacity; i++) {
		k->slots[i].value = KEYS_NONE;
	}
	for (size_t i = 0; i < old.capacity; i++) {
		if (old.slots[i].value != KEYS_NONE) {
			*find(k, &old.slots[i].key) = old.slots[i];
		}
	}
	free(old.slots);
}

uint32_t keys_swap(struct keys *k, const struct key *key, uint32_t value)
{
	if (2 * (k->count + 1) > k->capacity) {
		grow(k);
	}
	struct key_slot *slot = find(k, key);
	uint32_t before = slot->value;

	if (before == KEYS_NONE) {
		slot->key = *key;
		k->count++;
	}
	slot->value = value;
	return before;
}

/* Moves later keys into the hole, unless that is before their home. */
static void close_hole(struct keys *k, size_t hole)
{
	size_t mask = k->capacity - 1;

	for (size_t at = (hole + 1) & mask; k->slots[at].value != KEYS_NONE; at = (at + 1) & mask) {
		size_t home = home_of(k, &k->slots[at].key);

		if (((at - home) & mask) >= ((at - hole) & mask)) {
			k->slots[hole] = k->slots[at];
			hole = at;
		}
	}
	k->slots[hole].value = KEYS_NONE;
	k->count--;
}

uint32_t keys_take(struct keys *k, const struct key *key)
{
	if (k->capacity == 0) {
		return KEYS_NONE;
	}
	struct key_slot *slot = find(k, key);
	uint32_t value = slot->value;

	if (value != KEYS_NONE) {
		close_hole(k, (size_t)(slot - k->slots));
	}
	return value;
}
