/* SPDX-License-Identifier: MIT */
/*
 * A pattern over names, as an option has it: the name itself, one with `*` and `?`, or
 * between slashes an extended regular expression that is found anywhere in the name.
 */
#ifndef CMD_REPORT_NAME_PATTERN_H
#define CMD_REPORT_NAME_PATTERN_H

#include <regex.h>
#include <stdbool.h>

#include "cmd/arguments.h"
#include "cmd/session.h"

struct name_pattern {
	const char *text; /* NULL: every name */
	bool is_regex;
	regex_t regex;
};

/* Reads it, and keeps the text; 0, or ARGUMENTS_BAD, which was reported. */
int name_pattern_init(struct name_pattern *p, const struct command *command, const char *text);
void name_pattern_fini(struct name_pattern *p);

bool name_pattern_meets(const struct name_pattern *p, const char *name);

/*
 * Reports, as a problem, that nothing has such a name, and which of `names` is most like it;
 * `what`: "there is no event".
 */
void name_pattern_unknown(struct session *s, const char *what, const char *pattern,
	const char *const *names, size_t count);

#endif
