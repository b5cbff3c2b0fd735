/* SPDX-License-Identifier: MIT */
/*
 * One run of `waymark print` or `waymark attach`: what was asked for, and what came
 * of it; and what their command lines share.
 */
#ifndef CMD_PRINT_PRINT_H
#define CMD_PRINT_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/arguments.h"
#include "cmd/session.h"
#include "cmd/terminal.h"
#include "view/lines.h"
#include "view/tail.h"

struct print {
	struct session session;
	enum timestamp_mode time;
	enum terminal_when colour;
	const struct lines_style *style;
	const char *output;
	bool follow;
	bool only_new;
	bool tid;
	bool only_count;
	bool counts_events; /* `head` is events, not lines */
	bool names_are_known; /* those of the filter: of events, which may not happen */
	bool is_limited; /* by `head` or `last`, or nothing but a count is wanted */
	uint64_t head; /* so many lines are left */
	bool wants_none; /* of the last lines: it begins and ends without one, as with --head=0 */
	struct tail last; /* limit 0: all lines are wanted */
	struct out line; /* one that may be among the last */
	struct lines view;
	/* Of a run with a filter: */
	bool has_selected; /* an event; before: */
	uint64_t records;
	int64_t first_ns;
	int64_t last_ns;
	uint64_t events; /* that were shown, where these are counted */
};

/* Keys of the shared options; a command's own begin at the last. */
enum {
	PRINT_KEY_TID = ARGUMENT_LONG,
	PRINT_KEY_TIME,
	PRINT_KEY_JSON,
	PRINT_KEY_COLOUR,
	PRINT_KEY_OWN
};

#define PRINT_ROW_DECLARATIONS                                                           \
	{                                                                                \
		'e', "declarations", "FILE", "the events' declarations; may be repeated" \
	}
#define PRINT_ROW_TID                                                       \
	{                                                                   \
		PRINT_KEY_TID, "tid", NULL, "show the thread, too: PID/TID" \
	}
#define PRINT_ROW_OUTPUT                               \
	{                                              \
		'o', "output", "FILE", "write to FILE" \
	}
#define PRINT_ROWS_LOOK                                                                           \
	{ PRINT_KEY_TIME, "time", "FORM",                                                         \
		"abs: since boot (default); rel: since the first\n"                               \
		"record; delta: since the line before; wall: date\n"                              \
		"and time (UTC)" },                                                               \
		{ PRINT_KEY_JSON, "json", NULL, "a JSON object a line, for programs" },           \
	{                                                                                         \
		PRINT_KEY_COLOUR, "color", "WHEN", "auto: on a terminal (default); always; never" \
	}

/* Takes a shared option; returns 0, or what ends the run: `key` itself where it is none. */
int print_take(struct print *p, const struct command *command, int key);

/* Whether the time of day can be told where it was asked for; says why not. */
bool print_has_time(struct print *p);

/* Prints all of an open trace, as it was asked for. */
void print_all(struct print *p);

/* Says on standard error what the lines themselves cannot. */
void print_notes(struct print *p);

#endif
