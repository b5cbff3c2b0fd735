/* SPDX-License-Identifier: MIT */
/*
 * The tokens of a statement in SQL, for totals_plan.c: words, names and texts in quotes, numbers,
 * operators. Pure functions.
 */
#ifndef SQL_TOKENS_H
#define SQL_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

#define TOKENS_MAX 256

enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_QUOTED, TOKEN_NUMBER, TOKEN_STRING, TOKEN_OTHER };

struct token {
	const char *at;
	size_t length;
	enum token_kind kind;
};

struct tokens {
	struct token all[TOKENS_MAX];
	size_t count; /* the last one is TOKEN_END */
};

/*
 * Reads the tokens up to the end of the statement. Returns false if there are too many, or
 * comments, parameters, or quotes other than ' and ".
 */
bool tokens_read(struct tokens *s, const char *text);

/* True if the token is a word or operator, in any case; not in quotes. */
bool token_is(const struct token *t, const char *text);
bool token_is_one_of(const struct token *t, const char *const *words, size_t count);

/* True if the token is this name, quoted or not. */
bool token_is_name(const struct token *t, const char *name);

#endif
