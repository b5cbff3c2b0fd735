/* SPDX-License-Identifier: MIT */
/*
 * A hash table from strings to pointers, for offline code. Keys are borrowed:
 * they must outlive the table.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash_slot {
	const char *key;
	void *value;
};

struct hash {
	struct hash_slot *slots;
	size_t count;
	size_t capacity;
};

void hash_init(struct hash *h);
void hash_fini(struct hash *h);

/* Returns the value stored under `key`, or NULL. */
void *hash_get(const struct hash *h, const char *key);

/* Stores `value` under `key`, unless the key has a value already; returns the stored value. */
void *hash_add(struct hash *h, const char *key, void *value);

/* Texts with numbers from 0: the same text has one number. Empty when zeroed; owns its texts. */
struct texts {
	char **items; /* by number */
	size_t count;
	size_t capacity;
	struct hash numbers; /* values: number + 1 */
};

void texts_fini(struct texts *t);

/* Returns the number of the `length` bytes at `text`, which is the next one if they are new. */
uint32_t texts_number(struct texts *t, const char *text, size_t length);

/* Returns the FNV-1a hash of a NUL-terminated string. */
uint64_t hash_string(const char *s);

#endif
