/* SPDX-License-Identifier: MIT */
/* See cmd/name_option.h. */
#include "cmd/name_option.h"

#include <string.h>

#include "text/nearest.h"

static int say_bad(const struct command *command, const char *text, const char *why)
{
	return arguments_bad(command, "'%s' is no regular expression: %s", text, why);
}

int name_option_take(struct name_pattern *p, const struct command *command, const char *text)
{
	char why[128];

	name_pattern_fini(p);
	return name_pattern_read(p, text, why, sizeof(why)) ? 0 : say_bad(command, text, why);
}

int name_option_add(struct filter *f, const struct command *command, const char *text)
{
	char why[128];

	return filter_add_pattern(f, text, why, sizeof(why)) ? 0 : say_bad(command, text, why);
}

void name_option_unknown(struct session *s, const char *what, const char *pattern,
	const char *const *names, size_t count)
{
	const char *near = nearest_name((struct span){ pattern, strlen(pattern) }, names, count);

	session_say(s, "%s '%s'%s%s%s", what, pattern, near ? "; did you mean '" : "",
		near ? near : "", near ? "'?" : "");
	s->problems++;
}
