/* SPDX-License-Identifier: MIT */
/* See analyse/keys.h: open addressing with linear probing; at most half of it is full. */
#include "analyse/keys.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

#define FIRST_CAPACITY 64

void keys_fini(struct keys *k)
{
	free(k->slots);
	*k = (struct keys){ 0 };
}

static bool is_same(const struct key *a, const struct key *b)
{
	return a->scope == b->scope && a->tid == b->tid && a->pid == b->pid && a->name == b->name &&
	       a->trace == b->trace;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

static size_t home_of(const struct keys *k, const struct key *key)
{
	uint64_t hash = mix(0, (uint64_t)key->scope);

	hash = mix(hash, (uint64_t)key->pid << 32 | key->tid);
	hash = mix(hash, (uint64_t)key->trace << 32 | key->name);
	return (size_t)hash & (k->capacity - 1);
}

/* Where the key is, or could be. */
static struct key_slot *find(const struct keys *k, const struct key *key)
{
	size_t at = home_of(k, key);

	while (k->slots[at].value != KEYS_NONE && !is_same(&k->slots[at].key, key)) {
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

void keys_add(struct keys *k, const struct key *key, uint32_t value)
{
	if (2 * (k->count + 1) > k->capacity) {
		grow(k);
	}
	*find(k, key) = (struct key_slot){ *key, value };
	k->count++;
}

void keys_remove(struct keys *k, const struct key *key)
{
	size_t mask = k->capacity - 1;
	size_t hole = (size_t)(find(k, key) - k->slots);

	/* What stands behind moves up, unless it would come to stand before its home. */
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
