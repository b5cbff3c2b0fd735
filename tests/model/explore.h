/* SPDX-License-Identifier: MIT */
/*
 * Visits every state that a model can reach. A model's state is a struct without
 * pointers, all of whose bytes count; its step function offers each state that
 * may follow, or reports a fault. Aborts when memory runs out.
 */
#ifndef TESTS_MODEL_EXPLORE_H
#define TESTS_MODEL_EXPLORE_H

#include <stddef.h>

struct explorer;

/* Offers a state that may follow the state being stepped. */
void explore_offer(struct explorer *e, const void *state);

/* Reports a broken invariant; only the first report is kept. */
void explore_fail(struct explorer *e, const char *what);

/* Visits all states reachable from `first`. Returns NULL or the fault; counts the states. */
const char *explore(const void *first, size_t size,
	void (*step)(struct explorer *e, const void *state), size_t *states);

#endif
