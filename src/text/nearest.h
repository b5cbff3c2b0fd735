/* SPDX-License-Identifier: MIT */
/* Finds the name in a list that a mistyped word probably means, for "did you mean". */
#ifndef TEXT_NEAREST_H
#define TEXT_NEAREST_H

#include "base/nearest.h"
#include "text/scan.h"

/* Returns the nearest name at most two typing errors away from `word`; NULL if there is none. */
static inline const char *nearest_name(struct span word, const char *const *names, size_t count)
{
	struct nearest best = nearest_begin(word.text, word.len);

	for (size_t i = 0; i < count; i++) {
		nearest_offer(&best, names[i]);
	}
	return nearest_is_near(&best) ? best.name : NULL;
}

#endif
