/* SPDX-License-Identifier: MIT */
/* Lists of words that end with NULL: keywords, macros, names. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include <stdbool.h>
#include <string.h>

static inline bool words_have(const char *const *list, const char *word)
{
	while (*list && strcmp(*list, word) != 0) {
		list++;
	}
	return *list != NULL;
}

#endif
