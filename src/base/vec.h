/* SPDX-License-Identifier: MIT */
/*
 * A growable array of any type, for offline code:
 *
 *	VEC(struct event *) events = { 0 };
 *	vec_push(&events, e);
 *	vec_foreach(struct event **, it, &events) { use(*it); }
 *	vec_fini(&events);
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdlib.h>

#include "base/memory.h"

#define VEC(type)                \
	struct {                 \
		type *items;     \
		size_t count;    \
		size_t capacity; \
	}

#define vec_push(v, item)                                                                       \
	do {                                                                                    \
		if ((v)->count == (v)->capacity) {                                              \
			(v)->capacity = (v)->capacity ? 2 * (v)->capacity : 16;                 \
			(v)->items = xrealloc((v)->items, (v)->capacity * sizeof(*(v)->items)); \
		}                                                                               \
		(v)->items[(v)->count++] = (item);                                              \
	} while (0)

/* Adds zeroed items until there is one at the index. */
#define vec_reach(v, index)                                            \
	do {                                                           \
		while ((v)->count <= (index)) {                        \
			vec_push(v, ((__typeof__(*(v)->items)){ 0 })); \
		}                                                      \
	} while (0)

/* Adds a copy of `n` items. */
#define vec_append(v, from, n)                                   \
	do {                                                     \
		const size_t vec_n = (n);                        \
                                                                 \
		for (size_t vec_i = 0; vec_i < vec_n; vec_i++) { \
			vec_push(v, (from)[vec_i]);              \
		}                                                \
	} while (0)

#define vec_foreach(type, it, v) \
	for (type it = (v)->items; (v)->count > 0 && it < (v)->items + (v)->count; it++)

#define vec_fini(v)                             \
	do {                                    \
		free((v)->items);               \
		(v)->items = NULL;              \
		(v)->count = (v)->capacity = 0; \
	} while (0)

#endif
