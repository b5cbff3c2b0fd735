/* SPDX-License-Identifier: MIT */
/* Finds limits and a condition among words: for `waymark ctl PROCESS on` and `waymark attach`. */
#include "cmd/ctl/terms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/memory.h"

char *join_words(char *const *words, int count, int at)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	for (int i = at; i < count; i++) {
		fprintf(out, "%s%s", i > at ? " " : "", words[i]);
	}
	fclose(out);
	return text;
}

/* Returns true for the first word of terms: `if`, or a limit, as rt/event/limits.h has them. */
static bool begins_terms(const char *word)
{
	static const char *const limits[] = { "sample=", "every=", "rate=", "first=" };

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		if (strncmp(word, limits[i], strlen(limits[i])) == 0) {
			return true;
		}
	}
	return strcmp(word, "if") == 0 || strncmp(word, "if ", strlen("if ")) == 0;
}

/* Cuts a text off at its first word of terms. Returns that word; NULL: it has none. */
static char *cut_at_terms(char *text)
{
	for (char *blank = strchr(text, ' '); blank; blank = strchr(blank + 1, ' ')) {
		char word[32];

		snprintf(word, sizeof(word), "%.*s", (int)strcspn(blank + 1, " "), blank + 1);
		if (begins_terms(word)) {
			*blank = '\0';
			return blank + 1;
		}
	}
	return NULL;
}

/* Takes the words of terms, or what follows the pattern in the last word. */
static char *take_terms_text(char **words, int *count)
{
	int at = 0;

	while (at < *count && !begins_terms(words[at])) {
		at++;
	}
	if (at == *count) {
		char *inside = at ? cut_at_terms(words[at - 1]) : NULL;

		return inside ? xstrdup(inside) : NULL;
	}
	char *text = join_words(words, *count, at);

	*count = at;
	return text;
}

struct term_texts term_texts_take(char **words, int *count)
{
	char *text = take_terms_text(words, count);
	struct term_texts t = { 0 };

	if (!text) {
		return t;
	}
	char *condition = strncmp(text, "if ", 3) == 0 || strcmp(text, "if") == 0
				  ? text
				  : strstr(text, " if ");

	if (condition) {
		t.condition = xstrdup(condition + strspn(condition, " ") + strlen("if"));
		*condition = '\0';
	}
	t.limits = *text ? xstrdup(text) : NULL;
	free(text);
	return t;
}

void term_texts_fini(struct term_texts *t)
{
	free(t->limits);
	free(t->condition);
}
