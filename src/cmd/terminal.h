/* SPDX-License-Identifier: MIT */
/*
 * Colours, and the progress of long work on standard error. Only for terminals, never in files and
 * pipes.
 */
#ifndef CMD_TERMINAL_H
#define CMD_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

/* TERMINAL_AUTO: on a terminal, unless NO_COLOR is set or TERM=dumb. */
enum terminal_when { TERMINAL_AUTO, TERMINAL_ALWAYS, TERMINAL_NEVER };

/* Reads `auto`, `always` or `never`; false if `text` is another word. */
bool terminal_when_parse(enum terminal_when *when, const char *text);

/* True if output to `fd` has colours. */
bool terminal_wants_colour(enum terminal_when when, int fd);

/* The progress of a run, shown after its first second. */
struct progress {
	const char *name; /* name of the command */
	bool wanted; /* standard error is a terminal, and the output is not */
	bool shown;
	uint64_t next_ns; /* time of the next update, CLOCK_MONOTONIC */
};

void progress_init(struct progress *p, const char *name, int out_fd);

/* Shows `done` (0 to 1; below 0: unknown) if an update is due. Reads the clock. */
void progress_show(struct progress *p, double done);

/* Shows a text on a terminal, unless progress or a note is shown already. */
void progress_note(struct progress *p, const char *name, const char *text);

/* Removes the shown progress or note; legal at any time. */
void progress_erase(struct progress *p);

#endif
