/* SPDX-License-Identifier: MIT */
/* Reports of durations for programs: as JSON and as comma-separated values. */
#ifndef VIEW_REPORT_H
#define VIEW_REPORT_H

#include "analyse/numbers/report.h"
#include "text/out.h"

#define REPORT_PERCENTS_MAX 10
#define REPORT_PERCENT_TEXT 15 /* characters of one percentile */
#define REPORT_NUMBERS_MAX (REPORT_PERCENTS_MAX + 6)

/* The form of a printed report. */
struct report_form {
	struct distribution_share percents[REPORT_PERCENTS_MAX];
	char percent_texts[REPORT_PERCENTS_MAX]
			  [REPORT_PERCENT_TEXT + 1]; /* as the user wrote them */
	size_t percent_count;
	bool has_histogram;
	size_t top; /* maximum number of rows */
};

/* One number of a row. All views print them in the same order. */
struct report_number {
	char title[24]; /* title in JSON and CSV, with its unit */
	uint64_t value;
};

/* Sets the numbers and returns their count. If `row` is NULL, all values are 0. */
size_t report_numbers(const struct report *r, const struct report_form *form,
	const struct report_row *row, struct report_number numbers[REPORT_NUMBERS_MAX]);

/* Returns the number of rows that are printed. */
static inline size_t report_shown(const struct report *r, const struct report_form *form)
{
	return form->top < r->rows.count ? form->top : r->rows.count;
}

/* Write the report, after report_end(). Times are in nanoseconds. */
void report_put_json(struct out *out, const struct report *r, const struct report_form *form);
void report_put_csv(struct out *out, const struct report *r, const struct report_form *form);

/* Writes `,"histogram":[...]` of a row. */
void report_put_json_histogram(struct out *out, const struct report_row *row);

/*
 * Writes a text in quotes, with quotes inside doubled, control characters and what is not UTF-8
 * escaped as in printed lines; NULL is an empty cell.
 */
void report_put_csv_text(struct out *out, const char *text);

/* Finds the first and last bucket of a row that are not empty; returns false if all are. */
bool report_buckets(const struct report_row *row, unsigned int *first, unsigned int *last);

#endif
