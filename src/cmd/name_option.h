/* SPDX-License-Identifier: MIT */
/* Options whose value is a pattern over names. */
#ifndef CMD_NAME_OPTION_H
#define CMD_NAME_OPTION_H

#include "cmd/arguments.h"
#include "cmd/session.h"
#include "read/name_pattern.h"

/* Reads what replaces `p`, and keeps the text; 0, or ARGUMENTS_BAD, which was reported. */
int name_option_take(struct name_pattern *p, const struct command *command, const char *text);

/* The same of one of several: filter_add_pattern(). */
int name_option_add(struct filter *f, const struct command *command, const char *text);

/*
 * Reports, as a problem, that nothing has such a name, and which of `names` is most like it;
 * `what`: "there is no event".
 */
void name_option_unknown(struct session *s, const char *what, const char *pattern,
	const char *const *names, size_t count);

#endif
