/* SPDX-License-Identifier: MIT */
/* Aggregations for people: a table for each, and bars of its histograms. */
#include "cmd/report/aggregates.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/columns.h"
#include "cmd/escaped.h"
#include "cmd/selection.h"
#include "view/aggregates.h"

#define BAR_WIDTH 50

/* ---- Titles ---- */

/* Prints a column's title, which has no blanks. */
static void put_title(FILE *out, const char *name, const struct aggregate_function *f)
{
	const char *value = f->is_time ? "elapsed" : f->value;

	fprintf(out, *value ? " %s(%s)" : " %s", name, value);
}

static void put_titles(FILE *out, const struct aggregate_table *t)
{
	static const char *const names[AGGREGATE_KINDS] = OWN_AGGREGATE_NAMES;
	char name[16];

	fputs("-KEY", out);
	for (size_t i = 0; i < t->functions.count; i++) {
		const struct aggregate_function *f = &t->functions.items[i];

		if (f->kind == AGGREGATE_QUANTILE) {
			for (size_t s = 0; s < AGGREGATES_SHARES; s++) {
				snprintf(name, sizeof(name), "p%g", aggregates_shares[s] / 10.0);
				put_title(out, name, f);
			}
		} else if (f->kind != AGGREGATE_HIST) {
			put_title(out, names[f->kind], f);
		}
	}
}

/* ---- Cells ---- */

static void put_integer(struct columns *c, const struct aggregate_function *f, int64_t n)
{
	char text[48];

	if (f->is_time && n >= 0) {
		columns_put_time(c, (uint64_t)n);
		return;
	}
	snprintf(text, sizeof(text), "%" PRId64, n);
	columns_put(c, text);
}

static void put_fraction(struct columns *c, double d)
{
	char text[48];

	snprintf(text, sizeof(text), "%.6g", d);
	columns_put(c, text);
}

static void put_cell(
	struct columns *c, const struct aggregate_function *f, const struct aggregate_cell *cell)
{
	if (cell->buckets.count == 0) {
		columns_put(c, "-");
	} else if (f->kind == AGGREGATE_AVG && f->is_time) {
		columns_put_time(c, (uint64_t)aggregates_avg(cell).fraction);
	} else if (f->kind == AGGREGATE_AVG) {
		put_fraction(c, aggregates_avg(cell).fraction);
	} else if (cell->buckets.items[0].is_float) {
		put_fraction(c, cell->buckets.items[0].fraction);
	} else {
		put_integer(c, f, cell->buckets.items[0].integer);
	}
}

static void put_quantiles(
	struct columns *c, const struct aggregate_function *f, const struct aggregate_cell *cell)
{
	for (size_t i = 0; i < AGGREGATES_SHARES; i++) {
		if (cell->buckets.count) {
			put_integer(c, f, aggregate_quantile(cell, aggregates_shares[i]));
		} else {
			columns_put(c, "-");
		}
	}
}

static void put_row(
	struct columns *c, const struct aggregate_table *t, const struct aggregate_row *r)
{
	columns_put(c, *r->key ? r->key : "all");
	for (size_t i = 0; i < t->functions.count; i++) {
		const struct aggregate_function *f = &t->functions.items[i];

		if (f->kind == AGGREGATE_QUANTILE) {
			put_quantiles(c, f, &r->cells[i]);
		} else if (f->kind != AGGREGATE_HIST) {
			put_cell(c, f, &r->cells[i]);
		}
	}
}

/* ---- Histograms ---- */

static void put_bound(char text[COLUMNS_TIME_SIZE], const struct aggregate_function *f, int64_t n)
{
	if (f->is_time) {
		columns_time(text, (uint64_t)n);
	} else {
		snprintf(text, COLUMNS_TIME_SIZE, "%" PRId64, n);
	}
}

static int64_t bucket_after(int64_t from)
{
	return from < 0 ? 0 : aggregate_bucket_end(AGGREGATE_HIST, from);
}

static void put_bar(FILE *out, const struct aggregate_function *f, const struct aggregate_bucket *b,
	int64_t most)
{
	int width = (int)((double)b->integer / (double)most * BAR_WIDTH + 0.5);
	char from[COLUMNS_TIME_SIZE] = "below";
	char to[COLUMNS_TIME_SIZE];

	if (b->from >= 0) {
		put_bound(from, f, b->from);
	}
	put_bound(to, f, bucket_after(b->from));
	width = b->integer > 0 && width == 0 ? 1 : width;
	fprintf(out, "%12s .. %-12s |", from, to);
	for (int i = 0; i < BAR_WIDTH; i++) {
		fputc(i < width ? '#' : ' ', out);
	}
	fprintf(out, "| %" PRId64 "\n", b->integer);
}

static void put_bars(FILE *out, const struct aggregate_function *f, const struct aggregate_row *r,
	const struct aggregate_cell *c)
{
	int64_t most = 1;

	fprintf(out, "\n%s%s", f->text, *r->key ? " of " : "");
	escaped_put(out, r->key);
	fputc('\n', out);
	for (size_t i = 0; i < c->buckets.count; i++) {
		most = c->buckets.items[i].integer > most ? c->buckets.items[i].integer : most;
	}
	for (size_t i = 0; i < c->buckets.count; i++) {
		struct aggregate_bucket b = c->buckets.items[i];

		put_bar(out, f, &b, most);
		b.integer = 0; /* buckets without values up to the next one: */
		while (i + 1 < c->buckets.count &&
			(b.from = bucket_after(b.from)) < c->buckets.items[i + 1].from) {
			put_bar(out, f, &b, most);
		}
	}
}

/* ---- Tables ---- */

void aggregates_put_table(FILE *out, const struct aggregate_table *t)
{
	struct columns c;
	char *titles = NULL;
	size_t length;
	FILE *line = memory_stream(&titles, &length);

	put_titles(line, t);
	fclose(line);
	columns_init(&c, titles);
	for (size_t i = 0; i < t->rows.count; i++) {
		put_row(&c, t, &t->rows.items[i]);
	}
	escaped_put(out, t->event);
	fputs(*t->terms ? " " : "", out);
	escaped_put(out, t->terms);
	fputs("\n\n", out);
	columns_print(&c, out);
	columns_fini(&c);
	free(titles);
}

static void put_histograms(FILE *out, const struct aggregate_table *t)
{
	for (size_t i = 0; i < t->rows.count * t->functions.count; i++) {
		const struct aggregate_row *r = &t->rows.items[i / t->functions.count];
		size_t f = i % t->functions.count;

		if (t->functions.items[f].kind == AGGREGATE_HIST && r->cells[f].buckets.count) {
			put_bars(out, &t->functions.items[f], r, &r->cells[f]);
		}
	}
}

static void put_text(struct out *out, const struct aggregates *a)
{
	char *text = NULL;
	size_t length;
	FILE *file = memory_stream(&text, &length);

	for (size_t i = 0; i < a->tables.count; i++) {
		fputs(i ? "\n" : "", file);
		aggregates_put_table(file, a->tables.items[i]);
		put_histograms(file, a->tables.items[i]);
	}
	fclose(file);
	out_str(out, text);
	free(text);
}

static void read_all(struct session *s, struct aggregates *a)
{
	struct record records[SESSION_FEW];
	size_t count;

	aggregates_limit(s->reader);
	while ((count = selection_next_few(s, records))) {
		for (size_t i = 0; i < count; i++) {
			aggregates_add(a, s->reader, &records[i]);
		}
	}
	aggregates_end(a);
}

void aggregates_show(struct session *s, enum aggregates_style style)
{
	static void (*const putters[])(struct out * out, const struct aggregates *a) = {
		[AGGREGATES_TEXT] = put_text,
		[AGGREGATES_JSON] = aggregates_put_json,
		[AGGREGATES_PROMETHEUS] = aggregates_put_prometheus,
	};
	struct aggregates a;

	aggregates_init(&a);
	read_all(s, &a);
	session_begin_output(s);
	putters[style](&s->out, &a);
	if (a.tables.count == 0) {
		session_say(
			s, "no program has added anything up; see 'aggregate' in waymark-trace(7)");
	}
	aggregates_fini(&a);
}
