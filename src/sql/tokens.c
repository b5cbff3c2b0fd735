/* SPDX-License-Identifier: MIT */
/* Cuts the text of a statement into tokens. What is not certain is refused, and left to SQLite. */
#include "sql/tokens.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Returns the end of a quoted text, NULL if it has none. Doubled quotes are left to SQLite. */
static const char *end_of_quoted(const char *p)
{
	const char *end = strchr(p + 1, *p);

	return end && end[1] != *p ? end + 1 : NULL;
}

static bool read_token(struct token *t, const char *p)
{
	const char *end = p;

	if (*p == '\0' || *p == ';') {
		*t = (struct token){ p, 0, TOKEN_END };
		return true;
	}
	if (*p == '\'' || *p == '"') {
		end = end_of_quoted(p);
		t->kind = *p == '"' ? TOKEN_QUOTED : TOKEN_STRING;
	} else if (isdigit((unsigned char)*p)) {
		while (isalnum((unsigned char)*end) || *end == '.' || *end == '_') {
			end++;
		}
		t->kind = TOKEN_NUMBER;
	} else if (isalpha((unsigned char)*p) || *p == '_' || (unsigned char)*p >= 0x80) {
		while (isalnum((unsigned char)*end) || *end == '_' || *end == '$' ||
			(unsigned char)*end >= 0x80) {
			end++;
		}
		t->kind = TOKEN_WORD;
	} else {
		end = p + 1;
		t->kind = TOKEN_OTHER;
		/* Comments, parameters and other quotes are left to SQLite. */
		if (strchr("[`?:@$#.", *p) || strncmp(p, "--", 2) == 0 ||
			strncmp(p, "/*", 2) == 0) {
			return false;
		}
		end += strncmp(p, "<=", 2) == 0 || strncmp(p, ">=", 2) == 0 ||
		       strncmp(p, "<>", 2) == 0 || strncmp(p, "!=", 2) == 0 ||
		       strncmp(p, "==", 2) == 0 || strncmp(p, ">>", 2) == 0 ||
		       strncmp(p, "<<", 2) == 0 || strncmp(p, "||", 2) == 0;
	}
	t->at = p;
	t->length = end ? (size_t)(end - p) : 0;
	return end != NULL;
}

bool tokens_read(struct tokens *s, const char *text)
{
	for (s->count = 0; s->count < TOKENS_MAX; text += s->all[s->count++].length) {
		text += strspn(text, " \t\r\n");
		struct token *t = &s->all[s->count];

		if (!read_token(t, text)) {
			return false;
		}
		if (t->kind == TOKEN_END) {
			s->count++;
			return true;
		}
	}
	return false;
}

bool token_is(const struct token *t, const char *text)
{
	return strlen(text) == t->length && strncasecmp(t->at, text, t->length) == 0 &&
	       t->kind != TOKEN_QUOTED && t->kind != TOKEN_STRING;
}

bool token_is_one_of(const struct token *t, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (token_is(t, words[i])) {
			return true;
		}
	}
	return false;
}

bool token_is_name(const struct token *t, const char *name)
{
	bool is_quoted = t->kind == TOKEN_QUOTED;
	const char *at = t->at + is_quoted;
	size_t length = t->length - 2 * is_quoted;

	return (is_quoted || t->kind == TOKEN_WORD) && strlen(name) == length &&
	       strncasecmp(at, name, length) == 0;
}
