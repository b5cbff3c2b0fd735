/* SPDX-License-Identifier: MIT */
/*
 * A hash table from threads, and from scopes of threads, to numbers; what is removed leaves
 * nothing behind, so that its size is that of what is in it at one time. One thread.
 */
#ifndef READ_KEYS_H
#define READ_KEYS_H

#include <stddef.h>
#include <stdint.h>

#define KEYS_NONE UINT32_MAX

struct key {
	uint32_t trace;
	uint32_t pid;
	uint32_t tid;
	uint32_t name; /* of a thread 0, as its scope */
	int64_t scope;
};

_Static_assert(
	sizeof(struct key) == 4 * sizeof(uint32_t) + sizeof(int64_t), "keys are compared as bytes");

struct key_slot {
	struct key key;
	uint32_t value; /* KEYS_NONE: free */
};

/* A zeroed one is empty. */
struct keys {
	struct key_slot *slots;
	size_t count;
	size_t capacity; /* 0, or a power of two */
};

void keys_fini(struct keys *k);

/* What is stored under a key; KEYS_NONE: nothing. */
uint32_t keys_get(const struct keys *k, const struct key *key);

/* Stores a value, which is not KEYS_NONE; returns what was there before, or KEYS_NONE. */
uint32_t keys_swap(struct keys *k, const struct key *key, uint32_t value);

/* Removes a key; returns what was there, or KEYS_NONE. */
uint32_t keys_take(struct keys *k, const struct key *key);

#endif
