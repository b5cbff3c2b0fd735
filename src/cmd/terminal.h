/* SPDX-License-Identifier: MIT */
/*
 * What the commands do for somebody who watches a terminal: colours, and the
 * progress of long work, on standard error. Files and pipes see nothing of it.
 */
#ifndef CMD_TERMINAL_H
#define CMD_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

/* When to colour: `auto` is on a terminal, unless NO_COLOR or TERM=dumb. */
enum terminal_when { TERMINAL_AUTO, TERMINAL_ALWAYS, TERMINAL_NEVER };

/* Reads `auto`, `always` or `never`; false when it is none of them. */
bool terminal_when_parse(enum terminal_when *when, const char *text);

/* Whether what goes to `fd` is to have colours. */
bool terminal_wants_colour(enum terminal_when when, int fd);

/* How far a run has come, shown from its second second on. */
struct progress {
	const char *name; /* of the command */
	bool wanted; /* standard error is a terminal, and shows no lines of output */
	bool shown;
	uint64_t next_ns; /* when to show it (again), CLOCK_MONOTONIC */
};

void progress_init(struct progress *p, const char *name, int out_fd);

/* Shows `done` (0 to 1, or below 0: not known) when it is time to. Cheap, but no more. */
void progress_show(struct progress *p, double done);

/* Shows on a terminal a text in its place, until it is removed. */
void progress_note(struct progress *p, const char *name, const char *text);

/* Removes it from the terminal; legal at any time. */
void progress_erase(struct progress *p);

#endif
