/* SPDX-License-Identifier: MIT */
/*
 * Reports of spans for programs: the numbers of a row in one order, as JSON and as CSV. cmd/report
 * has the text for people, with the same numbers.
 */
#include "view/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "view/message/json.h"
#include "view/message/message.h"

static const struct distribution none;

static const struct distribution *lengths_of(const struct report_row *row)
{
	return row && row->lengths ? row->lengths : &none;
}

static void put_number(struct report_number **at, const char *title, uint64_t value)
{
	snprintf((*at)->title, sizeof((*at)->title), "%s", title);
	(*at)->value = value;
	++*at;
}

size_t report_numbers(const struct report *r, const struct report_form *form,
	const struct report_row *row, struct report_number numbers[REPORT_NUMBERS_MAX])
{
	const struct distribution *d = lengths_of(row);
	struct report_number *at = numbers;

	put_number(&at, "count", d->count);
	put_number(&at, "total_ns", d->sum);
	if (r->has_self) {
		put_number(&at, "self_ns", row ? row->self_ns : 0);
	}
	put_number(&at, "average_ns", distribution_average(d));
	put_number(&at, "min_ns", d->min);
	for (size_t i = 0; i < form->percent_count; i++) {
		char title[24];

		snprintf(title, sizeof(title), "p%s_ns", form->percent_texts[i]);
		put_number(&at, title, distribution_percentile(d, form->percents[i]));
	}
	put_number(&at, "max_ns", d->max);
	return (size_t)(at - numbers);
}

bool report_buckets(const struct report_row *row, unsigned int *first, unsigned int *last)
{
	const struct distribution *d = lengths_of(row);
	unsigned int bits = 0;

	if (d->count == 0) {
		return false;
	}
	while (distribution_of_bits(d, bits) == 0) {
		bits++;
	}
	*first = bits;
	for (bits = 64; distribution_of_bits(d, bits) == 0;) {
		bits--;
	}
	*last = bits;
	return true;
}

/* Writes a string; NULL becomes null. */
static void put_string(struct out *out, const char *text)
{
	if (text) {
		json_out_string(out, text);
	} else {
		out_str(out, "null");
	}
}

struct unpaired_number {
	const char *title;
	uint64_t value;
};

#define UNPAIRED 6

/* Returns how many numbers the report has: the end of a scope is never of another one. */
static size_t list_unpaired(
	const struct report *r, const struct unpaired *u, struct unpaired_number numbers[UNPAIRED])
{
	const struct unpaired_number all[UNPAIRED] = {
		{ "unfinished", u->unfinished },
		{ "end_lost", u->end_lost },
		{ "unbegun", u->unbegun },
		{ "begin_lost", u->begin_lost },
		{ "begun_twice", u->begun_twice },
		{ "events_lost", u->events_lost },
	};

	memcpy(numbers, all, sizeof(all));
	return r->has_to ? UNPAIRED : UNPAIRED - 1;
}

static void put_unpaired(struct out *out, const struct report *r, const struct unpaired *u)
{
	struct unpaired_number numbers[UNPAIRED];
	size_t count = list_unpaired(r, u, numbers);

	for (size_t i = 0; i < count; i++) {
		out_printf(
			out, "%s\"%s\":%" PRIu64, i ? "," : "", numbers[i].title, numbers[i].value);
	}
}

/* Writes a bucket: its lower limit, its upper limit (exclusive), and its count. */
static void put_bucket(struct out *out, const struct report_row *row, unsigned int bits)
{
	out_printf(out, "{\"from_ns\":%" PRIu64 ",\"to_ns\":%" PRIu64 ",\"count\":%" PRIu64 "}",
		bits ? UINT64_C(1) << (bits - 1) : 0, bits < 64 ? UINT64_C(1) << bits : UINT64_MAX,
		distribution_of_bits(row->lengths, bits));
}

void report_put_json_histogram(struct out *out, const struct report_row *row)
{
	unsigned int first;
	unsigned int last;

	out_str(out, ",\"histogram\":[");
	if (report_buckets(row, &first, &last)) {
		for (unsigned int bits = first; bits <= last; bits++) {
			out_str(out, bits > first ? "," : "");
			put_bucket(out, row, bits);
		}
	}
	out_char(out, ']');
}

static void put_names(struct out *out, const struct report *r, const struct report_row *row)
{
	out_str(out, r->has_to ? "{\"from\":" : "{\"name\":");
	put_string(out, row->name);
	if (r->has_to) {
		out_str(out, ",\"to\":");
		put_string(out, row->to);
	}
	if (r->group) {
		out_str(out, ",\"group\":");
		put_string(out, row->group);
	}
}

void report_put_json(struct out *out, const struct report *r, const struct report_form *form)
{
	struct report_number numbers[REPORT_NUMBERS_MAX];

	out_char(out, '{');
	put_unpaired(out, r, &r->unpaired);
	if (r->has_to) {
		out_printf(out, ",\"keyless\":%" PRIu64 ",\"most_open\":%" PRIu64, r->keyless,
			r->most_open);
	}
	if (r->group) {
		out_str(out, ",\"by\":");
		put_string(out, r->group);
	}
	out_str(out, r->has_to ? ",\n\"latencies\":[" : ",\n\"scopes\":[");
	for (size_t i = 0; i < report_shown(r, form); i++) {
		const struct report_row *row = &r->rows.items[i];
		size_t count = report_numbers(r, form, row, numbers);

		out_str(out, i ? ",\n " : "\n ");
		put_names(out, r, row);
		for (size_t n = 0; n < count; n++) {
			out_printf(out, ",\"%s\":%" PRIu64, numbers[n].title, numbers[n].value);
		}
		out_char(out, ',');
		put_unpaired(out, r, &row->unpaired);
		if (form->has_histogram) {
			report_put_json_histogram(out, row);
		}
		out_char(out, '}');
	}
	out_str(out, "]}\n");
}

void report_put_csv_text(struct out *out, const char *text)
{
	if (!text) {
		return;
	}
	size_t length = strlen(text);
	char *escaped = xcalloc(ESCAPE_MAX * length + 8, 1);
	const char *end = message_escape(escaped, text, length);

	out_char(out, '"');
	for (const char *at = escaped; at < end; at++) {
		out_str(out, *at == '"' ? "\"" : "");
		out_char(out, *at);
	}
	out_char(out, '"');
	free(escaped);
}

static void put_csv_names(struct out *out, const struct report *r, const struct report_row *row)
{
	report_put_csv_text(out, row->name);
	if (r->has_to) {
		out_char(out, ',');
		report_put_csv_text(out, row->to);
	}
	if (r->group) {
		out_char(out, ',');
		report_put_csv_text(out, row->group);
	}
}

static void put_csv_titles(struct out *out, const struct report *r)
{
	out_str(out, r->has_to ? "from,to" : "name");
	out_str(out, r->group ? ",group" : "");
}

/* Writes a line for each bucket. */
static void put_csv_buckets(struct out *out, const struct report *r, const struct report_form *form)
{
	unsigned int first;
	unsigned int last;

	put_csv_titles(out, r);
	out_str(out, ",from_ns,to_ns,count\n");
	for (size_t i = 0; i < report_shown(r, form); i++) {
		const struct report_row *row = &r->rows.items[i];
		bool has_any = report_buckets(row, &first, &last);

		for (unsigned int bits = first; has_any && bits <= last; bits++) {
			put_csv_names(out, r, row);
			out_printf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
				bits ? UINT64_C(1) << (bits - 1) : 0,
				bits < 64 ? UINT64_C(1) << bits : UINT64_MAX,
				distribution_of_bits(row->lengths, bits));
		}
	}
}

static void put_csv_row(struct out *out, const struct report *r, const struct report_form *form,
	const struct report_row *row)
{
	struct report_number numbers[REPORT_NUMBERS_MAX];
	struct unpaired_number unpaired[UNPAIRED];
	size_t count = report_numbers(r, form, row, numbers);

	put_csv_names(out, r, row);
	for (size_t n = 0; n < count; n++) {
		out_printf(out, ",%" PRIu64, numbers[n].value);
	}
	size_t unpaired_count = list_unpaired(r, &row->unpaired, unpaired);

	for (size_t n = 0; n < unpaired_count; n++) {
		out_printf(out, ",%" PRIu64, unpaired[n].value);
	}
	out_char(out, '\n');
}

void report_put_csv(struct out *out, const struct report *r, const struct report_form *form)
{
	struct report_number numbers[REPORT_NUMBERS_MAX];
	size_t count = report_numbers(r, form, NULL, numbers);

	if (form->has_histogram) {
		put_csv_buckets(out, r, form);
		return;
	}
	put_csv_titles(out, r);
	for (size_t n = 0; n < count; n++) {
		out_printf(out, ",%s", numbers[n].title);
	}
	out_str(out, ",unfinished,end_lost,unbegun,begin_lost,begun_twice");
	out_str(out, r->has_to ? ",events_lost\n" : "\n");
	for (size_t i = 0; i < report_shown(r, form); i++) {
		put_csv_row(out, r, form, &r->rows.items[i]);
	}
}
