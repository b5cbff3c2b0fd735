/* SPDX-License-Identifier: MIT */
/*
 * A hash table from threads, and from scopes of threads, to numbers. A removed key leaves no mark,
 * so the table's size depends only on the most keys in it at one time. One thread.
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
	uint32_t name; /* 0 in the key of a thread */
	int64_t scope; /* 0 in the key of a thread */
};

_Static_assert(
	sizeof(struct key) == 4 * sizeof(uint32_t) + sizeof(int64_t), "keys are compared as bytes");

struct key_slot {
	struct key key;
	uint32_t value; /* KEYS_NONE: free */
};

/* A table; empty when zeroed. */
struct keys {
	struct key_slot *slots;
	size_t count;
	size_t capacity; /* 0, or a power of two */
};

void keys_fini(struct keys *k);

/* Returns the value of a key; KEYS_NONE if there is none. */
uint32_t keys_get(const struct keys *k, const struct key *key);

/* Stores a value other than KEYS_NONE; returns the previous one, or KEYS_NONE. */
uint32_t keys_swap(struct keys *k, const struct key *key, uint32_t value);

/* Removes a key; returns its value, or KEYS_NONE. */
uint32_t keys_take(struct keys *k, const struct key *key);

#endif
