/* SPDX-License-Identifier: MIT */
/* See cmd/report/name_pattern.h. */
#include "cmd/report/name_pattern.h"

#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/memory.h"
#include "text/nearest.h"

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

int name_pattern_init(struct name_pattern *p, const struct command *command, const char *text)
{
	char *inner = between_slashes(text);
	char why[128];

	name_pattern_fini(p);
	p->text = text;
	if (!inner) {
		return 0;
	}
	int error = regcomp(&p->regex, inner, REG_EXTENDED | REG_NOSUB);

	free(inner);
	if (error) {
		regerror(error, &p->regex, why, sizeof(why));
		return arguments_bad(command, "'%s' is no regular expression: %s", text, why);
	}
	p->is_regex = true;
	return 0;
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

void name_pattern_unknown(struct session *s, const char *what, const char *pattern,
	const char *const *names, size_t count)
{
	const char *near = nearest_name((struct span){ pattern, strlen(pattern) }, names, count);

	session_say(s, "%s '%s'%s%s%s", what, pattern, near ? "; did you mean '" : "",
		near ? near : "", near ? "'?" : "");
	s->problems++;
}
