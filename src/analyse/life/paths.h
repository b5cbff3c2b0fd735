/* SPDX-License-Identifier: MIT */
/*
 * Paths, sequences of names, as a tree. A part that is repeated at once counts once: `a b b a b b`
 * is the path `a b`, with a loop of one step and a loop of two. So all paths that differ only in
 * the numbers of repetitions are one. The number of paths is limited. One thread.
 */
#ifndef ANALYSE_PATHS_H
#define ANALYSE_PATHS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "read/keys.h"

#define PATHS_STEPS_MAX 64
#define PATHS_MAX 65536u

#define PATHS_ROOT 0u /* the path without steps */
#define PATHS_OTHER 1u /* all paths that are longer, or above the limit */

struct path {
	uint32_t before; /* the path without its last step */
	uint32_t name; /* of the last step */
	uint32_t depth; /* number of steps */
	/* The step that was asked for last: */
	uint32_t next_name;
	uint32_t next;
};

struct paths {
	VEC(struct path) all;
	struct texts names;
	/* For paths.c only: */
	struct keys next; /* by path and name */
};

void paths_init(struct paths *p);
void paths_fini(struct paths *p);

uint32_t paths_next_slowly(struct paths *p, uint32_t path, uint32_t name);

/*
 * Returns the path with one more step. If it is not longer, a loop has closed; see paths_loop().
 */
static inline uint32_t paths_next(struct paths *p, uint32_t path, uint32_t name)
{
	const struct path *at = &p->all.items[path];

	return at->next_name == name ? at->next : paths_next_slowly(p, path, name);
}

/* Returns the steps of the loop that closed with the step from `path` to `next`; 0: none. */
static inline uint32_t paths_loop(const struct paths *p, uint32_t path, uint32_t next)
{
	return next == PATHS_OTHER ? 0 : p->all.items[path].depth + 1 - p->all.items[next].depth;
}

/* Writes the names of all steps; returns their number. */
size_t paths_steps(const struct paths *p, uint32_t path, const char *names[PATHS_STEPS_MAX]);

/* How often lives of a path took a step. */
struct path_part {
	uint32_t min;
	uint32_t max;
	uint32_t loops; /* bit n: a loop of n + 1 steps ends here */
};

#endif
