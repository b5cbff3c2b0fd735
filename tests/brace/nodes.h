/* SPDX-License-Identifier: MIT */
/* Objects of random shapes, nested, of values of every kind. */
#ifndef NODES_H
#define NODES_H

#include <waymark/debug.h>

/* An object of random shape, the same whenever it is asked. */
struct node {
	uint64_t seed;
	unsigned int depth;
};

/* What a struct node says. */
void node_put(struct waymark_formatter *f, const void *object);

#endif
