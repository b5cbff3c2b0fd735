/* SPDX-License-Identifier: MIT */
/* One run of `waymark print` or `waymark attach`, and the options of both. */
#ifndef CMD_PRINT_PRINT_H
#define CMD_PRINT_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/arguments.h"
#include "cmd/selection.h"
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
	struct names fields; /* to show instead of the message */
	bool only_count;
	bool counts_events; /* `head` counts events, not lines */
	bool names_are_known; /* the filter's names are of declared events, which may not happen */
	bool is_limited; /* has `head` or `last`, or only counts */
	uint64_t head; /* lines left to print */
	bool wants_none; /* --tail=0: no line, as with --head=0 */
	struct tail last; /* limit 0: all lines are wanted */
	struct out line; /* a line that may be among the last ones */
	struct lines view;
	uint64_t events; /* number printed, if they are counted */
	bool has_selected; /* an event was selected; without a filter, unused */
};

/* Keys of the shared options. A command's own keys begin at the last one. */
enum {
	PRINT_KEY_TID = ARGUMENT_LONG,
	PRINT_KEY_TIME,
	PRINT_KEY_JSON,
	PRINT_KEY_FIELDS,
	PRINT_KEY_COLOUR,
	PRINT_KEY_OWN
};

#define PRINT_ROW_DECLARATIONS                                                     \
	{                                                                          \
		'e', "declarations", "FILE",                                       \
			"read the events' declarations from FILE; may be repeated" \
	}
#define PRINT_ROW_TID                                                      \
	{                                                                  \
		PRINT_KEY_TID, "tid", NULL, "show the thread too: PID/TID" \
	}
#define PRINT_ROW_OUTPUT                               \
	{                                              \
		'o', "output", "FILE", "write to FILE" \
	}
#define PRINT_ROWS_LOOK                                                                           \
	{ PRINT_KEY_TIME, "time", "FORM",                                                         \
		"abs: since boot (default); rel: since first record; delta; wall: UTC" },         \
		{ PRINT_KEY_JSON, "json", NULL, "print a JSON object a line" },                   \
		{ PRINT_KEY_FIELDS, "fields", "NAMES",                                            \
			"show only these fields, as name=value, not the message" },               \
	{                                                                                         \
		PRINT_KEY_COLOUR, "color", "WHEN", "auto: on a terminal (default); always; never" \
	}

/*
 * Applies a shared option. Returns 0, or the result that ends the run; `key` itself if it is not
 * shared.
 */
int print_take(struct print *p, const struct command *command, int key);

/* True if the trace has the time of day, or --time=wall is not given; else reports it. */
bool print_has_time(struct print *p);

/* Prepares a view that shows what the options say. */
static inline void print_begin_view(
	const struct print *p, struct lines *view, struct out *out, struct reader *reader)
{
	lines_init(view, out, reader, p->style, p->time);
	view->fields = p->fields.items;
	view->field_count = p->fields.count;
	view->colour = terminal_wants_colour(p->colour, p->session.out_fd);
	if (p->tid) {
		lines_show_tid(view);
	}
}

/*
 * Prints the records with all processors; false, with what was written so far to be left out, if
 * one thread must print them all: the trace is short or damaged, or a line depends on others.
 */
bool print_shared(struct print *p);

/* Prints an open trace, and notes about it to standard error. */
void print_all(struct print *p);

#endif
