/* SPDX-License-Identifier: MIT */
/*
 * The options and the output of the commands that report on spans of time: `waymark scopes`,
 * `waymark latency` and, for records that did not become a span, `waymark flamegraph`.
 */
#ifndef CMD_REPORT_REPORT_H
#define CMD_REPORT_REPORT_H

#include "analyse/numbers/report.h"
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
	REPORT_KEY_OWN, /* first key of a command's own options */
};

/* Rows of a command's table: what is shown, and the form and place of the output. */
#define REPORT_ROWS_SHOWN                                                                          \
	{ REPORT_KEY_PERCENTILES, "percentiles", "LIST",                                           \
		"percentiles to show, with commas (default: 50,90,99)" },                          \
		{ REPORT_KEY_HISTOGRAM, "histogram", NULL, "print bars: how many took how long" }, \
	{                                                                                          \
		REPORT_KEY_TOP, "top", "N", "print only the first N rows"                          \
	}

#define REPORT_ROWS_OUTPUT                                                                        \
	{ REPORT_KEY_JSON, "json", NULL, "print JSON" },                                          \
		{ REPORT_KEY_CSV, "csv", NULL, "print comma-separated values" },                  \
		{ 'e', "declarations", "FILE", "read the events' declarations, for old traces" }, \
	{                                                                                         \
		'o', "output", "FILE", "write to FILE"                                            \
	}

void report_options_init(struct report_options *o);

/* Applies an option of the rows above; returns 0, or the result that ends the run, reported. */
int report_take(
	struct report_options *o, struct session *s, const struct command *command, int key);

/* The expression of a command that selects spans by any of their events, not events. */
#define REPORT_ROW_WHERE(SPANS)                                                             \
	{                                                                                   \
		SELECTION_KEY_WHERE, "where", "EXPR",                                       \
			"only " SPANS " with an event for which this is true, as 'ret < 0'" \
	}

/* Sorts a report and writes it to the session's output, in its style. */
void report_put(struct session *s, struct report *r, const struct report_options *o);

/* ---- Parts of report_put(), for other reports of the same numbers ---- */

struct columns;

/* Prints a text in capital letters. */
void report_put_upper(FILE *out, const char *text, size_t length);

/* Prints the titles of a row's numbers, each after a blank, and adds the numbers to a table. */
void report_put_titles(FILE *out, const struct report *r, const struct report_form *form);
void report_put_numbers(struct columns *c, const struct report *r, const struct report_form *form,
	const struct report_row *row);

/* Prints the rows as a table, or as bars. */
void report_put_table(FILE *out, const struct report *r, const struct report_form *form);
void report_put_bars(FILE *out, const struct report *r, const struct report_form *form);

/* Prints a line for each kind of records that did not become a span. */
void report_put_unpaired(FILE *out, const struct report *r);

/* Kinds of records that did not become a span; each is a line of the report. */
#define UNPAIRED_KINDS 6

/* Returns the number of records of a kind; `text` gets the rest of its line. */
uint64_t unpaired_get(const struct unpaired *u, size_t kind, const char **text);

/*
 * Returns true if an event of the traces or declarations matches, even if it did not happen. Else
 * reports, as a problem, the nearest name in the traces.
 */
bool report_has_event(struct session *s, const struct name_pattern *p);

#endif
