/* SPDX-License-Identifier: MIT */
/*
 * The map of an aggregation: see aggregate.h. One thread stores, at one depth of signal handlers;
 * others only read values. Header-only, for calls that are only counted (decide.c).
 */
#ifndef RT_SITE_AGGREGATE_MAP_H
#define RT_SITE_AGGREGATE_MAP_H

#include "base/compiler.h"
#include "rt/event/trigger.h"
#include "rt/record/cursor.h"

/* Cells of a map, a power of two. */
#define CELLS_BITS 13
#define CELLS (1u << CELLS_BITS)

/* The most calls that a thread adds up at one moment: its own, and those of signal handlers. */
#define DEPTHS 4u

/* The key `other`. */
#define OTHER UINT64_C(0)

/* The function of values that were left out; of the key `other`, in one map. */
#define LEFT_OUT AGGREGATE_FUNCTIONS_MAX

/* Added to a function whose value is a fraction: an event may have an integer of that name. */
#define OF_FRACTION 64u

/* Bytes of a record's last arguments: value, map, snapshot. */
#define TAIL_BYTES 16u

struct cell {
	uint64_t key; /* of the call's key, the function and the bucket; 0: free */
	waymark_count *value; /* in its record, by release; NULL: the cell is free */
	uint64_t recorded; /* as of the last snapshot, under the control lock */
	uint32_t bytes; /* of the record's arguments */
	uint16_t function;
	bool is_float;
	bool is_recorded; /* in a snapshot, with `recorded`; under the control lock */
};

struct map {
	uint32_t number;
	uint32_t used; /* cells */
	struct cell cells[CELLS];
};

/* The maps of a slot, which fork wipes. */
struct maps {
	struct map *items[AGGREGATIONS_MAX][DEPTHS];
};

/* Returns the thread's map; NULL: not made. */
static inline struct map *map_of(
	const struct slot *s, const struct aggregate_binding *b, uint32_t depth)
{
	const struct maps *all = s->aggregated;

	return LIKELY(all) ? all->items[b->index][depth] : NULL;
}

static inline uint64_t key_mix(uint64_t h)
{
	h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return h ^ h >> 32;
}

/* Returns the key of a call, which is not OTHER. `call`: NULL if all fields are integers. */
static inline uint64_t key_of(
	const struct aggregate_binding *b, const uint64_t *words, struct field_call *call)
{
	uint64_t key = UINT64_C(0x9e3779b97f4a7c15); /* of a call by no fields */

	for (unsigned int i = 0; i < b->key_count; i++) {
		const struct field_ref *f = &b->keys[i];

		key = key_mix(key ^ (!call || LIKELY(f->mask) ? words[f->word] & f->mask
							      : waymark_field_key(call, f->slot)));
	}
	return LIKELY(key != OTHER) ? key : ~OTHER;
}

/* Returns the key of a cell, which is not 0. */
static inline uint64_t cell_key(uint64_t key, unsigned int function, int64_t bucket)
{
	return (key + function * UINT64_C(0x9e3779b97f4a7c15) +
		       (uint64_t)bucket * UINT64_C(0xc2b2ae3d27d4eb4f)) |
	       1;
}

/* Returns the cell of that key, or the free one where it would be. */
static inline struct cell *cell_at(struct map *m, uint64_t key)
{
	for (uint64_t i = key >> (64 - CELLS_BITS);; i++) {
		struct cell *c = &m->cells[i % CELLS];

		if (LIKELY(c->key == key) || !c->key) {
			return c;
		}
	}
}

static inline void store(waymark_count *to, uint64_t value)
{
	__atomic_store_n(to, value, __ATOMIC_RELAXED);
}

/* Returns the cell's value; NULL: a fork has wiped the map, so that the call is the parent's. */
static inline waymark_count *value_at(const struct cell *c)
{
	return __atomic_load_n(&c->value, __ATOMIC_RELAXED);
}

static inline void add_to(waymark_count *value, uint64_t amount)
{
	if (LIKELY(value)) {
		store(value, *value + amount);
	}
}

/* Counts a call with that key. Returns false if the key has no cell. */
static inline bool count_known(struct map *m, uint64_t key)
{
	const struct cell *c = cell_at(m, cell_key(key, 0, 0));

	if (UNLIKELY(!c->key)) {
		return false;
	}
	add_to(value_at(c), 1);
	return true;
}

/* ---- Plain values ---- */

static inline int64_t integer_of(uint64_t word, bool is_signed)
{
	return !is_signed && word > INT64_MAX ? INT64_MAX : (int64_t)word;
}

/* Returns the value of an integer. */
static inline int64_t value_of(const struct aggregate_field *f, const uint64_t *words)
{
	return integer_of(field_word(&f->ref, words), f->ref.sign);
}

static inline unsigned int log2_of(uint64_t v)
{
	return 63u - (unsigned int)__builtin_clzll(v);
}

/*
 * Returns the least value of the bucket: all of its values have the same highest binary digit, and
 * the same `digits` digits after it.
 */
static inline int64_t bucket_of(int64_t v, unsigned int digits)
{
	if (v < 1 << digits) {
		return v < 0 ? -1 : v;
	}
	unsigned int shift = log2_of((uint64_t)v) - digits;

	return v >> shift << shift;
}

/* What a plain function adds to: a bucket. */
struct plain {
	int64_t bucket;
	uint64_t amount;
};

static inline struct plain plain_of(const struct aggregate_field *f, const uint64_t *words)
{
	int64_t n = value_of(f, words);

	return f->digits == AGGREGATE_NO_BUCKETS ? (struct plain){ 0, (uint64_t)n }
						 : (struct plain){ bucket_of(n, f->digits), 1 };
}

/*
 * These add up a call whose functions and keys are plain, and have their cells: a count, and a
 * count with one function more. Otherwise they return false, and have done nothing.
 */
static inline bool aggregate_count(
	const struct slot *s, const struct aggregate_binding *b, const uint64_t *words)
{
	struct map *m = map_of(s, b, 0);

	return LIKELY(m) && LIKELY(b->is_plain) && b->function_count == 1 &&
	       count_known(m, key_of(b, words, NULL));
}

static inline bool aggregate_value(
	const struct slot *s, const struct aggregate_binding *b, const uint64_t *words)
{
	struct map *m = map_of(s, b, 0);

	if (UNLIKELY(!m) || UNLIKELY(!b->is_plain) || b->function_count != 2) {
		return false;
	}
	uint64_t key = key_of(b, words, NULL);
	struct plain p = plain_of(&b->values[1], words);
	const struct cell *c = cell_at(m, cell_key(key, 1, p.bucket));

	if (UNLIKELY(!c->key) || UNLIKELY(!count_known(m, key))) {
		return false;
	}
	add_to(value_at(c), p.amount);
	return true;
}

#endif
