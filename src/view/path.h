/* SPDX-License-Identifier: MIT */
/* Paths of lives as text, for people and programs. */
#ifndef VIEW_PATH_H
#define VIEW_PATH_H

#include "analyse/life/paths.h"
#include "text/out.h"

/*
 * Writes a path, such as `open > (read > write x1..3) x2 > close`: how often a step was taken, and
 * how often a loop of several steps. `parts` has an item for each step; NULL: names only.
 */
void path_put(struct out *out, const struct paths *p, uint32_t path, const struct path_part *parts);

/* Returns the same as text, which the caller frees. */
char *path_text(const struct paths *p, uint32_t path, const struct path_part *parts);

#endif
