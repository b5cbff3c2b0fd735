/* SPDX-License-Identifier: MIT */
/* See read/name_pattern.h. */
#include "read/name_pattern.h"

#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/memory.h"

/* What is between the slashes, on the heap; NULL: it is no regular expression. */
static char *between_slashes(const char *text)
{
	size_t length = strlen(text);

	if (length < 3 || text[0] != '/' || text[length - 1] != '/') {
		return NULL;
	}
	char *inner = xcalloc(length, 1);

	memcpy(inner, text + 1, length - 2);
	return inner;
}

bool name_pattern_read(struct name_pattern *p, const char *text, char *why, size_t size)
{
	char *inner = between_slashes(text);

	*p = (struct name_pattern){ .text = text };
	if (!inner) {
		return true;
	}
	int error = regcomp(&p->regex, inner, REG_EXTENDED | REG_NOSUB);

	free(inner);
	p->is_regex = !error;
	if (error) {
		regerror(error, &p->regex, why, size);
	}
	return p->is_regex;
}

void name_pattern_fini(struct name_pattern *p)
{
	if (p->is_regex) {
		regfree(&p->regex);
	}
	*p = (struct name_pattern){ 0 };
}

bool name_pattern_meets(const struct name_pattern *p, const char *name)
{
	if (p->is_regex) {
		return regexec(&p->regex, name, 0, NULL, 0) == 0;
	}
	return !p->text || glob_match_name(p->text, name);
}
