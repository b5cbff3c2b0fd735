/* SPDX-License-Identifier: MIT */
/*
 * What the commands share that report how long spans of time were: `waymark scopes` and
 * `waymark latency`. Their options, and how a report is written.
 */
#ifndef CMD_REPORT_REPORT_H
#define CMD_REPORT_REPORT_H

#include "analyse/report.h"
#include "cmd/arguments.h"
#include "cmd/selection.h"
#include "cmd/session.h"
#include "view/report.h"

enum report_style { REPORT_TEXT, REPORT_JSON, REPORT_CSV };

struct report_options {
	struct report_form form;
	enum report_order order;
	enum report_style style;
	const char *output;
};

enum {
	REPORT_KEY_JSON = ARGUMENT_LONG,
	REPORT_KEY_CSV,
	REPORT_KEY_PERCENTILES,
	REPORT_KEY_HISTOGRAM,
	REPORT_KEY_SORT,
	REPORT_KEY_TOP,
	REPORT_KEY_OWN, /* from here on a command's own */
};

/* Rows of a command's table, what is shown and then where. */
#define REPORT_ROWS_SHOWN                                                                       \
	{ REPORT_KEY_PERCENTILES, "percentiles", "LIST",                                        \
		"which, with commas: 50,90,99 where none are given" },                          \
		{ REPORT_KEY_HISTOGRAM, "histogram", NULL, "how many took how long, as bars" }, \
	{                                                                                       \
		REPORT_KEY_TOP, "top", "N", "only the first N of them"                          \
	}

#define REPORT_ROWS_OUTPUT                                                                   \
	{ REPORT_KEY_JSON, "json", NULL, "for programs" },                                   \
		{ REPORT_KEY_CSV, "csv", NULL, "the same as comma-separated values" },       \
		{ 'e', "declarations", "FILE", "the events' declarations, for old traces" }, \
	{                                                                                    \
		'o', "output", "FILE", "write to FILE"                                       \
	}

void report_options_init(struct report_options *o);

/* Takes an option of the rows above; 0, or what ends the run: it was reported. */
int report_take(
	struct report_options *o, struct session *s, const struct command *command, int key);

/* Sorts a report and writes it to the session's output, in its style. */
void report_put(struct session *s, struct report *r, const struct report_options *o);

/* For people: a table, or bars. */
void report_put_text(struct out *out, const struct report *r, const struct report_form *form);

#endif
