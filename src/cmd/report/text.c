/* SPDX-License-Identifier: MIT */
/* Reports for people, see cmd/report/report.h. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "cmd/columns.h"
#include "cmd/escaped.h"
#include "cmd/report/report.h"
#include "cmd/report/unpaired.h"

#define TIME_SIZE 48
#define BAR_WIDTH 50

/* What stands where a row has no name. */
#define NO_NAME "-"

/* Three digits, and a unit. */
static void print_time(char text[TIME_SIZE], uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double value = (double)ns;
	size_t unit = 0;

	while (unit + 1 < ARRAY_SIZE(units) && value >= 999.5) {
		value /= 1000;
		unit++;
	}
	int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;

	snprintf(text, TIME_SIZE, "%.*f %s", digits, value, units[unit]);
}

static const char *name_of(const char *name)
{
	return name ? name : NO_NAME;
}

static void put_row(struct columns *c, const struct report *r, const struct report_form *form,
	const struct report_row *row)
{
	struct report_number numbers[REPORT_NUMBERS_MAX];
	size_t count = report_numbers(r, form, row, numbers);
	char text[TIME_SIZE];

	columns_put(c, name_of(row->name));
	if (r->has_to) {
		columns_put(c, name_of(row->to));
	}
	if (r->group) {
		columns_put(c, name_of(row->group));
	}
	columns_put_number(c, numbers[0].value);
	for (size_t i = 1; i < count; i++) {
		print_time(text, numbers[i].value);
		columns_put(c, numbers[0].value ? text : "-");
	}
}

static void print_upper(FILE *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		fputc(toupper((unsigned char)text[i]), out);
	}
}

/* As those of the JSON, without their unit, which stands beside each value. */
static void print_titles(FILE *out, const struct report *r, const struct report_form *form)
{
	struct report_number numbers[REPORT_NUMBERS_MAX];
	size_t count = report_numbers(r, form, NULL, numbers);

	fputs(r->has_to ? "-FROM -TO" : "-SCOPE", out);
	if (r->group) {
		fputs(" -", out);
		print_upper(out, r->group, strlen(r->group));
	}
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(numbers[i].title);
		bool has_unit = length > 3 && strcmp(numbers[i].title + length - 3, "_ns") == 0;

		fputc(' ', out);
		print_upper(out, numbers[i].title, has_unit ? length - 3 : length);
	}
}

/* What did not become a span, a line each. */
static void put_unpaired(FILE *out, const struct report *r)
{
	const char *text;

	for (size_t i = 0; i < UNPAIRED_KINDS; i++) {
		uint64_t count = unpaired_get(&r->unpaired, i, &text);

		if (count > 0) {
			fprintf(out, "%" PRIu64 " %s\n", count, text);
		}
	}
	if (r->keyless > 0) {
		fprintf(out,
			"%" PRIu64 " with values of --by that are cut short or absent, left out\n",
			r->keyless);
	}
}

static void put_table(FILE *out, const struct report *r, const struct report_form *form)
{
	struct columns c;
	char *titles = NULL;
	size_t length;
	FILE *line = open_memstream(&titles, &length);

	if (!line) {
		abort();
	}
	print_titles(line, r, form);
	fclose(line);
	columns_init(&c, titles);
	for (size_t i = 0; i < report_shown(r, form); i++) {
		put_row(&c, r, form, &r->rows.items[i]);
	}
	columns_print(&c, out);
	columns_fini(&c);
	free(titles);
}

static void put_bar(FILE *out, unsigned int bits, uint64_t count, uint64_t most)
{
	char from[TIME_SIZE];
	char to[TIME_SIZE];
	int width = (int)((double)count / (double)most * BAR_WIDTH + 0.5);

	print_time(from, bits ? UINT64_C(1) << (bits - 1) : 0);
	print_time(to, bits < 64 ? UINT64_C(1) << bits : UINT64_MAX);
	/* What is there shows, however little it is. */
	width = count > 0 && width == 0 ? 1 : width;
	fprintf(out, "%8s .. %-8s |", from, to);
	for (int i = 0; i < BAR_WIDTH; i++) {
		fputc(i < width ? '#' : ' ', out);
	}
	fprintf(out, "| %" PRIu64 "\n", count);
}

static void put_head(FILE *out, const struct report *r, const struct report_row *row)
{
	escaped_put(out, name_of(row->name));
	if (r->has_to) {
		fputs(" -> ", out);
		escaped_put(out, name_of(row->to));
	}
	if (r->group) {
		escaped_printf(out, ", %s %s", r->group, name_of(row->group));
	}
	fprintf(out, ": %" PRIu64 "\n", row->lengths ? row->lengths->count : 0);
}

static void put_bars(FILE *out, const struct report *r, const struct report_form *form)
{
	unsigned int first;
	unsigned int last;

	for (size_t i = 0; i < report_shown(r, form); i++) {
		const struct report_row *row = &r->rows.items[i];
		bool has_any = report_buckets(row, &first, &last);
		uint64_t most = 1;

		put_head(out, r, row);
		for (unsigned int bits = first; has_any && bits <= last; bits++) {
			uint64_t count = distribution_of_bits(row->lengths, bits);

			most = count > most ? count : most;
		}
		for (unsigned int bits = first; has_any && bits <= last; bits++) {
			put_bar(out, bits, distribution_of_bits(row->lengths, bits), most);
		}
		fputc('\n', out);
	}
}

void report_put_text(struct out *out, const struct report *r, const struct report_form *form)
{
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);

	if (!file) {
		abort();
	}
	(form->has_histogram ? put_bars : put_table)(file, r, form);
	if (r->rows.count == 0) {
		fputs(r->has_to ? "neither event was recorded\n" : "no scopes\n", file);
	} else if (report_shown(r, form) < r->rows.count) {
		fprintf(file, "%zu more are not shown\n", r->rows.count - report_shown(r, form));
	}
	put_unpaired(file, r);
	fclose(file);
	out_bytes(out, text, length);
	free(text);
}
