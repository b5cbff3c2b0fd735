/* SPDX-License-Identifier: MIT */
/* `did you mean`: the known name that is nearest to a misspelt one. */
#ifndef TEXT_NEAREST_H
#define TEXT_NEAREST_H

#include <stddef.h>

#include "text/scan.h"

/* The name at most two typing errors away from `word`, the nearest first; NULL: none. */
const char *nearest_name(struct span word, const char *const *names, size_t count);

#endif
