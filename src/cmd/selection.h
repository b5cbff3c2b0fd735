/* SPDX-License-Identifier: MIT */
/* Which records of its traces a command looks at: options of all that read traces. */
#ifndef CMD_SELECTION_H
#define CMD_SELECTION_H

#include "cmd/arguments.h"
#include "cmd/session.h"

/* Behind the keys of any command. */
enum {
	SELECTION_KEY_SINCE = ARGUMENT_LONG + 1000,
	SELECTION_KEY_UNTIL,
	SELECTION_KEY_PID,
	SELECTION_KEY_THREAD
};

#define SELECTION_ROWS_IDS                                                                 \
	{ SELECTION_KEY_PID, "pid", "PID", "only this process; may be repeated" },         \
	{                                                                                  \
		SELECTION_KEY_THREAD, "thread", "TID", "only this thread; may be repeated" \
	}

#define SELECTION_ROWS                                                                             \
	{ SELECTION_KEY_SINCE, "since", "TIME", "from this time on: SEC[.FRACTION] since boot," }, \
		{ SELECTION_KEY_UNTIL, "until", "TIME",                                            \
			"and up to this one; +SEC counts from the first record" },                 \
		SELECTION_ROWS_IDS

/* Whether the key is one of these. */
static inline bool selection_has(int key)
{
	return key >= SELECTION_KEY_SINCE && key <= SELECTION_KEY_THREAD;
}

/* Takes such an option, whose value is in `optarg`; 0, or ARGUMENTS_BAD, which was reported. */
int selection_take(struct session *s, const struct command *command, int key);

/* Only records of this host from now on. */
void selection_since_now(struct session *s);

/* session_next_few() of those that are selected. */
size_t selection_next_few(struct session *s, struct record *records);

#endif
