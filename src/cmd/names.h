/* SPDX-License-Identifier: MIT */
/* Names of events and fields on a command line: lists of them, and those that no event has. */
#ifndef CMD_NAMES_H
#define CMD_NAMES_H

#include "cmd/arguments.h"
#include "cmd/session.h"

struct names {
	const char **items;
	size_t count;
	size_t capacity;
};

/*
 * Adds names divided by commas, the value of --fields. They live as long as the session. Returns 0,
 * or ARGUMENTS_BAD, reported.
 */
int names_take(struct names *n, struct session *s, const struct command *command, const char *text);

/* Returns the field with the name nearest to `name`, which may be that name; NULL: none is near. */
const char *names_nearest_field(const struct reader *r, const char *name);

/*
 * Report patterns of the session's filter, and fields, that no event of the traces has, most likely
 * mistyped, with the nearest name. Call after the last record. Return their number.
 */
size_t names_check_events(struct session *s);
size_t names_check_fields(struct session *s, const struct names *fields);

#endif
