/* SPDX-License-Identifier: MIT */
/* Limits and a condition among the words of a command line, as in `on NAME rate=10/s if x > 1`. */
#ifndef CMD_CTL_TERMS_H
#define CMD_CTL_TERMS_H

#include <stdbool.h>

/* The terms after the patterns; NULL: none. */
struct term_texts {
	char *limits;
	char *condition;
};

/*
 * Takes the terms off the words: those from the first word of terms on, or what follows the pattern
 * in the last word, which it cuts. Sets `*count` to the number of patterns. The caller ends with
 * term_texts_fini().
 */
struct term_texts term_texts_take(char **words, int *count);

void term_texts_fini(struct term_texts *t);

/* Returns the words from `at` on as one text, which the caller frees. */
char *join_words(char *const *words, int count, int at);

#endif
