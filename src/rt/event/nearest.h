/* SPDX-License-Identifier: MIT */
/*
 * The name nearest to a mistyped one, by edit distance, for "did you mean" in error
 * messages. Header-only. Compares the first NEAREST_MAX bytes of names.
 */
#ifndef RT_EVENT_NEAREST_H
#define RT_EVENT_NEAREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define NEAREST_MAX 31

struct nearest {
	const char *typed;
	const char *name;
	size_t distance;
};

static inline size_t nearest_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Ignores the case of ASCII letters: names of events differ in more than that. */
static inline char nearest_fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Number of bytes to insert, delete or replace to turn `a` into `b`. */
static inline size_t edit_distance(const char *a, const char *b)
{
	size_t row[NEAREST_MAX + 1];
	size_t a_len = strnlen(a, NEAREST_MAX);
	size_t b_len = strnlen(b, NEAREST_MAX);

	for (size_t j = 0; j <= b_len; j++) {
		row[j] = j;
	}
	for (size_t i = 1; i <= a_len; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			size_t change =
				diagonal + (nearest_fold(a[i - 1]) != nearest_fold(b[j - 1]));

			diagonal = row[j];
			row[j] = nearest_min(nearest_min(row[j], row[j - 1]) + 1, change);
		}
	}
	return row[b_len];
}

static inline struct nearest nearest_begin(const char *typed)
{
	return (struct nearest){ .typed = typed, .distance = SIZE_MAX };
}

static inline void nearest_offer(struct nearest *n, const char *name)
{
	size_t distance = edit_distance(n->typed, name);

	if (distance < n->distance) {
		n->distance = distance;
		n->name = name;
	}
}

/* Whether the nearest name is likely meant: at most two typing errors away. */
static inline bool nearest_is_near(const struct nearest *n)
{
	return n->distance <= 2 && n->distance < strlen(n->typed);
}

#endif
