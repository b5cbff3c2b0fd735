/* SPDX-License-Identifier: MIT */
/* Reports of durations for programs: as JSON and as comma-separated values. */
#ifndef VIEW_REPORT_H
#define VIEW_REPORT_H

#include "analyse/report.h"
#include "text/out.h"

#define REPORT_PERCENTS_MAX 10
#define REPORT_PERCENT_TEXT 15 /* characters of one */
#define REPORT_NUMBERS_MAX (REPORT_PERCENTS_MAX + 6)

/* How a report is shown. */
struct report_form {
	struct distribution_share percents[REPORT_PERCENTS_MAX];
	char percent_texts[REPORT_PERCENTS_MAX]
			  [REPORT_PERCENT_TEXT + 1]; /* as the user wrote them */
	size_t percent_count;
	bool has_histogram;
	size_t top; /* rows at most */
};

/* One number of a row; all views show them in the same order. */
struct report_number {
	char title[24]; /* in JSON and CSV, with its unit */
	uint64_t value;
};

/* Fills in the numbers and returns their count. With `row` NULL all values are 0. */
size_t report_numbers(const struct report *r, const struct report_form *form,
	const struct report_row *row, struct report_number numbers[REPORT_NUMBERS_MAX]);

/* The number of rows that are shown. */
static inline size_t report_shown(const struct report *r, const struct report_form *form)
{
	return form->top < r->rows.count ? form->top : r->rows.count;
}

/* Both after report_end(). Times are in nanoseconds. */
void report_put_json(struct out *out, const struct report *r, const struct report_form *form);
void report_put_csv(struct out *out, const struct report *r, const struct report_form *form);

/* The first and last bucket of a row that are not empty; returns false if all are. */
bool report_buckets(const struct report_row *row, unsigned int *first, unsigned int *last);

#endif
