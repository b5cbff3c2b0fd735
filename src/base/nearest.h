/* SPDX-License-Identifier: MIT */
/*
 * "did you mean": the name that is nearest to a mistyped one, by edit distance. Names may have any
 * length; the first NEAREST_MAX bytes are compared. ASCII letters are compared without case, as
 * compared names differ in more than case. Header-only: no state, any thread.
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define NEAREST_MAX 63

struct nearest {
	const char *typed;
	size_t length; /* bytes of `typed`, at most NEAREST_MAX */
	const char *name; /* the nearest one so far */
	size_t distance;
};

static inline size_t nearest_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

static inline char nearest_fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/*
 * Returns the number of bytes to insert, remove or change to get `name` from the typed name. Keeps
 * one row of the table.
 */
static inline size_t nearest_distance(const struct nearest *n, const char *name)
{
	size_t row[NEAREST_MAX + 1];
	size_t length = strnlen(name, NEAREST_MAX);

	for (size_t j = 0; j <= length; j++) {
		row[j] = j;
	}
	for (size_t i = 0; i < n->length; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < length; j++) {
			size_t changed =
				diagonal + (nearest_fold(n->typed[i]) != nearest_fold(name[j]));

			diagonal = row[j + 1];
			row[j + 1] = nearest_min(nearest_min(diagonal, row[j]) + 1, changed);
		}
	}
	return row[length];
}

/* Begins a search. Borrows `typed`, which need not end with a NUL. */
static inline struct nearest nearest_begin(const char *typed, size_t length)
{
	return (struct nearest){
		.typed = typed, .length = nearest_min(length, NEAREST_MAX), .distance = SIZE_MAX
	};
}

/* Compares a name. Of names at the same distance, the first is kept. */
static inline void nearest_offer(struct nearest *n, const char *name)
{
	size_t distance = nearest_distance(n, name);

	if (distance < n->distance) {
		n->distance = distance;
		n->name = name;
	}
}

/* True if the nearest name is a likely meaning: at most two typing errors away. */
static inline bool nearest_is_near(const struct nearest *n)
{
	return n->distance <= 2 && n->distance < n->length;
}

#endif
