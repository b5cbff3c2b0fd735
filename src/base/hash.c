/* SPDX-License-Identifier: MIT */
/* A table with open addressing and linear probing; at most half of the slots are used. */
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec.h"

void hash_init(struct hash *h)
{
	*h = (struct hash){ 0 };
}

void hash_fini(struct hash *h)
{
	free(h->slots);
	hash_init(h);
}

uint64_t hash_string(const char *s)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *s; s++) {
		hash = (hash ^ (unsigned char)*s) * 0x100000001b3u;
	}
	return hash;
}

static struct hash_slot *hash_find(const struct hash *h, const char *key)
{
	size_t mask = h->capacity - 1;
	size_t i = hash_string(key) & mask;

	while (h->slots[i].key && strcmp(h->slots[i].key, key) != 0) {
		i = (i + 1) & mask;
	}
	return &h->slots[i];
}

static void hash_grow(struct hash *h)
{
	struct hash bigger = { .capacity = h->capacity ? 2 * h->capacity : 64 };

	bigger.slots = xcalloc(bigger.capacity, sizeof(*bigger.slots));
	for (size_t i = 0; i < h->capacity; i++) {
		if (h->slots[i].key) {
			*hash_find(&bigger, h->slots[i].key) = h->slots[i];
		}
	}
	bigger.count = h->count;
	free(h->slots);
	*h = bigger;
}

void *hash_get(const struct hash *h, const char *key)
{
	return h->capacity ? hash_find(h, key)->value : NULL;
}

void *hash_add(struct hash *h, const char *key, void *value)
{
	if (2 * (h->count + 1) > h->capacity) {
		hash_grow(h);
	}
	struct hash_slot *slot = hash_find(h, key);

	if (!slot->key) {
		*slot = (struct hash_slot){ key, value };
		h->count++;
	}
	return slot->value;
}

void texts_fini(struct texts *t)
{
	vec_foreach (char **, text, t) {
		free(*text);
	}
	vec_fini(t);
	hash_fini(&t->numbers);
}

uint32_t texts_number(struct texts *t, const char *text, size_t length)
{
	char *copy = xcalloc(length + 1, 1);

	memcpy(copy, text, length);
	uintptr_t known = (uintptr_t)hash_get(&t->numbers, copy);

	if (known) {
		free(copy);
		return (uint32_t)known - 1;
	}
	vec_push(t, copy);
	hash_add(&t->numbers, copy, (void *)(uintptr_t)t->count);
	return (uint32_t)t->count - 1;
}
