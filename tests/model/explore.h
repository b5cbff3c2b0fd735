/* SPDX-License-Identifier: MIT */
/*
 * Visits every state that a model can reach. A model's state is a struct without
 * pointers, all of whose bytes count; its step function offers each state that
 * may follow, or says what is wrong. Aborts when there is no memory.
 */
#ifndef TESTS_MODEL_EXPLORE_H
#define TESTS_MODEL_EXPLORE_H

#include <stddef.h>

struct explorer;

/* Offers a state that may follow the one which is being stepped. */
void explore_offer(struct explorer *e, const void *state);

/* Says what must never be: the first word of it stays. */
void explore_fail(struct explorer *e, const char *what);

/* Visits all that follows from `first`. Returns NULL, or what went wrong; counts the states. */
const char *explore(const void *first, size_t size,
	void (*step)(struct explorer *e, const void *state), size_t *states);

#endif
