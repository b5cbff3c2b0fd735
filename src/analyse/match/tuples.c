/* SPDX-License-Identifier: MIT */
/*
 * Numbers of byte strings: a hash table with open addressing and linear probing, at most half
 * full. Removed entries leave no marks: later ones move up.
 */
#include "analyse/match/tuples.h"

#include <stdbool.h>
#include <string.h>

#define FIRST_CAPACITY 64

void tuples_fini(struct tuples *t)
{
	vec_foreach (struct tuple *, tuple, &t->all) {
		free(tuple->bytes);
	}
	vec_fini(&t->all);
	free(t->slots);
	*t = (struct tuples){ 0 };
}

/* A tuple to search for, which borrows the bytes. */
static struct tuple wanted_of(const char *bytes, size_t size)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size; i++) {
		hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
	}
	return (struct tuple){
		.bytes = (char *)(uintptr_t)bytes, .size = size, .hash = hash ^ hash >> 32
	};
}

static bool is_same(const struct tuple *t, const struct tuple *wanted)
{
	return t->hash == wanted->hash && t->size == wanted->size &&
	       memcmp(t->bytes, wanted->bytes, wanted->size) == 0;
}

/* Returns the slot of the tuple, or the free slot for it. */
static size_t find(const struct tuples *t, const struct tuple *wanted)
{
	size_t at = (size_t)wanted->hash & (t->capacity - 1);

	while (t->slots[at] && !is_same(&t->all.items[t->slots[at] - 1], wanted)) {
		at = (at + 1) & (t->capacity - 1);
	}
	return at;
}

uint32_t tuples_find(const struct tuples *t, const char *bytes, size_t size)
{
	struct tuple wanted = wanted_of(bytes, size);
	uint32_t number = t->capacity ? t->slots[find(t, &wanted)] : 0;

	return number ? number - 1 : TUPLES_NONE;
}

static void grow(struct tuples *t)
{
	free(t->slots);
	t->capacity = t->capacity ? 2 * t->capacity : FIRST_CAPACITY;
	t->slots = xcalloc(t->capacity, sizeof(*t->slots));
	for (size_t i = 0; i < t->all.count; i++) {
		if (t->all.items[i].bytes) {
			t->slots[find(t, &t->all.items[i])] = (uint32_t)i + 1;
		}
	}
}

/* Adds a tuple with a copy of the bytes; returns its number + 1. */
static uint32_t add(struct tuples *t, const struct tuple *wanted)
{
	struct tuple tuple = *wanted;
	uint32_t number = t->free;

	tuple.bytes = xcalloc(tuple.size + 1, 1);
	memcpy(tuple.bytes, wanted->bytes, wanted->size);
	tuple.holders = 1;
	if (number) {
		t->free = t->all.items[number - 1].next;
		t->all.items[number - 1] = tuple;
	} else {
		vec_push(&t->all, tuple);
		number = (uint32_t)t->all.count;
	}
	return number;
}

uint32_t tuples_hold(struct tuples *t, const char *bytes, size_t size)
{
	struct tuple wanted = wanted_of(bytes, size);

	if (2 * (t->count + 1) > t->capacity) {
		grow(t);
	}
	size_t at = find(t, &wanted);

	if (t->slots[at]) {
		t->all.items[t->slots[at] - 1].holders++;
	} else {
		t->slots[at] = add(t, &wanted);
		t->count++;
	}
	return t->slots[at] - 1;
}

/* Moves later entries up into the hole, unless that is before the slot of their hash. */
static void close_hole(struct tuples *t, size_t hole)
{
	size_t mask = t->capacity - 1;

	for (size_t at = (hole + 1) & mask; t->slots[at]; at = (at + 1) & mask) {
		size_t home = (size_t)t->all.items[t->slots[at] - 1].hash & mask;

		if (((at - home) & mask) >= ((at - hole) & mask)) {
			t->slots[hole] = t->slots[at];
			hole = at;
		}
	}
	t->slots[hole] = 0;
}

void tuples_release(struct tuples *t, uint32_t number)
{
	struct tuple *tuple = &t->all.items[number];

	if (--tuple->holders > 0) {
		return;
	}
	close_hole(t, find(t, tuple));
	free(tuple->bytes);
	*tuple = (struct tuple){ .next = t->free };
	t->free = number + 1;
	t->count--;
}
