/* SPDX-License-Identifier: MIT */
/* See explore.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "explore.h"

struct explorer {
	size_t size; /* of a state */
	unsigned char *states; /* all that were met, in this order */
	size_t count, room;
	uint32_t *table; /* by hash: a state's number from 1 */
	size_t slots; /* a power of two */
	const char *failure;
};

static void *must(void *p)
{
	if (!p) {
		abort();
	}
	return p;
}

static uint64_t hash(const unsigned char *s, size_t size)
{
	uint64_t h = 0;

	for (size_t i = 0; i < size; i++) {
		h = (h ^ s[i]) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 32;
	}
	return h;
}

/* The slot of the state; 0 in it: the state is new, and belongs there. */
static uint32_t *find(const struct explorer *e, const unsigned char *state)
{
	size_t at = hash(state, e->size) & (e->slots - 1);

	while (e->table[at] && memcmp(e->states + (e->table[at] - 1) * e->size, state, e->size)) {
		at = (at + 1) & (e->slots - 1);
	}
	return &e->table[at];
}

static void grow(struct explorer *e)
{
	e->room *= 2;
	e->slots = 4 * e->room;
	e->states = must(realloc(e->states, e->room * e->size));
	free(e->table);
	e->table = must(calloc(e->slots, sizeof(*e->table)));
	for (size_t i = 0; i < e->count; i++) {
		*find(e, e->states + i * e->size) = (uint32_t)i + 1;
	}
}

void explore_offer(struct explorer *e, const void *state)
{
	if (e->count == e->room) {
		grow(e);
	}
	uint32_t *place = find(e, state);

	if (!*place) {
		memcpy(e->states + e->count * e->size, state, e->size);
		*place = (uint32_t)++e->count;
	}
}

void explore_fail(struct explorer *e, const char *what)
{
	e->failure = e->failure ? e->failure : what;
}

const char *explore(const void *first, size_t size,
	void (*step)(struct explorer *e, const void *state), size_t *states)
{
	struct explorer e = { .size = size, .room = 512 };
	unsigned char *now = must(malloc(size));

	grow(&e);
	explore_offer(&e, first);
	for (size_t i = 0; i < e.count && !e.failure; i++) {
		memcpy(now, e.states + i * size, size);
		step(&e, now);
	}
	*states = e.count;
	free(now);
	free(e.states);
	free(e.table);
	return e.failure;
}
