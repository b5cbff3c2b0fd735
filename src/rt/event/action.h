/* SPDX-License-Identifier: MIT */
/*
 * What a trigger does, after `then`:
 *
 *	snapshot [DIRECTORY] [after TIME]   writes what full=overwrite holds in memory
 *	stop                                switches all events off
 *	enable PATTERN [for TIME]           switches events on, and those off again
 *	disable PATTERN                     switches events off
 *	flush                               writes recorded events to the files
 *	signal NUMBER                       sends the process a signal
 *	mark TEXT                           records the text as `waymark:mark`
 *
 * Several are joined by `and`.
 */
#ifndef RT_EVENT_ACTION_H
#define RT_EVENT_ACTION_H

#include <stdint.h>

#include <waymark/control.h>

enum action_kind {
	ACTION_SNAPSHOT,
	ACTION_STOP,
	ACTION_ENABLE,
	ACTION_DISABLE,
	ACTION_FLUSH,
	ACTION_SIGNAL,
	ACTION_MARK,
};

struct action {
	enum action_kind kind;
	int signal;
	uint64_t ns; /* `after` or `for`; 0: none */
	char *text; /* pattern, directory or mark, owned; NULL: none */
};

/* The most actions of a trigger. */
#define ACTIONS_MAX 4u

struct actions {
	struct action items[ACTIONS_MAX];
	unsigned int count;
};

/* Parses them. Returns 0, or -1 with the reason and nothing to free. */
int waymark_actions_parse(struct actions *a, const char *text, struct waymark_error *error);
void waymark_actions_fini(struct actions *a);

#endif
