/* SPDX-License-Identifier: MIT */
/* The edit distance of two words, by the usual table of which one row is kept. */
#include "text/nearest.h"

#define WORD_MAX 64
#define DISTANCE_MAX 2

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t distance(struct span word, const char *name)
{
	size_t row[WORD_MAX + 1];
	size_t len = strlen(name);

	for (size_t i = 0; i <= len; i++) {
		row[i] = i;
	}
	for (size_t w = 0; w < word.len; w++) {
		size_t diagonal = row[0];

		row[0] = w + 1;
		for (size_t i = 0; i < len; i++) {
			size_t replaced = diagonal + (word.text[w] != name[i]);

			diagonal = row[i + 1];
			row[i + 1] = smaller(replaced, 1 + smaller(row[i], diagonal));
		}
	}
	return row[len];
}

const char *nearest_name(struct span word, const char *const *names, size_t count)
{
	const char *nearest = NULL;
	size_t best = smaller(DISTANCE_MAX + 1, word.len);

	for (size_t i = 0; i < count && word.len <= WORD_MAX; i++) {
		size_t d = strlen(names[i]) <= WORD_MAX ? distance(word, names[i]) : best;

		if (d < best) {
			best = d;
			nearest = names[i];
		}
	}
	return nearest;
}
