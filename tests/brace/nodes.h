/* SPDX-License-Identifier: MIT */
/* Objects of random shapes, nested, with values of every kind. */
#ifndef NODES_H
#define NODES_H

#include <waymark/debug.h>

/* An object of random shape; each call of its renderer has the same output. */
struct node {
	uint64_t seed;
	unsigned int depth;
};

/* The callback of a struct node. */
void node_put(struct waymark_formatter *f, const void *object);

#endif
