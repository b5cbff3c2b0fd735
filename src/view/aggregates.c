/* SPDX-License-Identifier: MIT */
/*
 * Aggregations for programs. Prometheus: a metric for each function, with labels for the event, the
 * value and the fields after `by`; see its "Exposition formats".
 */
#include "view/aggregates.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "view/message/json.h"
#include "view/message/message.h"

const unsigned int aggregates_shares[AGGREGATES_SHARES] = { 500, 900, 990, 999 };

#define KEY_BYTES 1024

/* Writes a number; `none`: what a fraction that is no number becomes, NULL: its name. */
static void put_number(struct out *out, const struct aggregate_bucket *b, const char *none)
{
	if (!b->is_float) {
		out_printf(out, "%" PRId64, b->integer);
	} else if (none && !isfinite(b->fraction)) {
		out_str(out, none);
	} else if (isnan(b->fraction)) {
		out_str(out, "NaN");
	} else if (isinf(b->fraction)) {
		out_str(out, b->fraction < 0 ? "-Inf" : "+Inf");
	} else {
		out_printf(out, "%.17g", b->fraction);
	}
}

struct aggregate_bucket aggregates_avg(const struct aggregate_cell *c)
{
	double count = (double)aggregate_total(c, AGGREGATE_AVG);
	struct aggregate_bucket avg = { .is_float = true };

	for (size_t i = 0; i < c->buckets.count; i++) {
		const struct aggregate_bucket *b = &c->buckets.items[i];

		avg.fraction += b->from == 0 ? b->fraction : 0;
	}
	avg.fraction = count > 0 ? avg.fraction / count : 0;
	return avg;
}

/* ---- JSON ---- */

static void put_json_buckets(
	struct out *out, const struct aggregate_cell *c, enum aggregate_kind kind)
{
	out_str(out, ",\"buckets\":[");
	for (size_t i = 0; i < c->buckets.count; i++) {
		const struct aggregate_bucket *b = &c->buckets.items[i];

		out_printf(out, "%s{\"from\":", i ? "," : "");
		if (b->from < 0) {
			out_str(out, "null");
		} else {
			out_printf(out, "%" PRId64, b->from);
		}
		out_printf(out, ",\"to\":%" PRId64 ",\"count\":%" PRId64 "}",
			b->from < 0 ? 0 : aggregate_bucket_end(kind, b->from), b->integer);
	}
	out_char(out, ']');
}

static void put_json_quantiles(struct out *out, const struct aggregate_cell *c)
{
	for (size_t i = 0; i < AGGREGATES_SHARES; i++) {
		out_printf(out, ",\"p%g\":%" PRId64, aggregates_shares[i] / 10.0,
			aggregate_quantile(c, aggregates_shares[i]));
	}
}

/* Writes the members of a function's value. */
static void put_json_value(
	struct out *out, const struct aggregate_function *f, const struct aggregate_cell *c)
{
	struct aggregate_bucket avg;

	switch (f->kind) {
	case AGGREGATE_AVG:
		avg = aggregates_avg(c);
		out_str(out, ",\"value\":");
		put_number(out, &avg, "null");
		out_printf(out, ",\"count\":%" PRIu64, aggregate_total(c, f->kind));
		break;
	case AGGREGATE_QUANTILE:
		put_json_quantiles(out, c);
		put_json_buckets(out, c, f->kind);
		break;
	case AGGREGATE_HIST:
		put_json_buckets(out, c, f->kind);
		break;
	default:
		out_str(out, ",\"value\":");
		put_number(out, &c->buckets.items[0], "null");
		break;
	}
}

static void put_json_key(struct out *out, const char *key)
{
	const char *rest = key;
	const char *field;
	char value[KEY_BYTES];
	size_t length;
	bool is_first = true;

	out_str(out, ",\"key\":{");
	while (aggregate_next_key(&rest, &field, &length, value, sizeof(value))) {
		out_str(out, is_first ? "" : ",");
		json_out_text(out, field, length);
		out_char(out, ':');
		json_out_string(out, value);
		is_first = false;
	}
	out_printf(out, "},\"other\":%s", strcmp(key, OWN_AGGREGATE_OTHER) == 0 ? "true" : "false");
}

static void put_json_row(struct out *out, const struct aggregate_table *t,
	const struct aggregate_row *r, bool is_first)
{
	for (size_t f = 0; f < t->functions.count; f++) {
		if (r->cells[f].buckets.count == 0) {
			continue;
		}
		out_str(out, is_first ? "\n{\"event\":" : ",\n{\"event\":");
		json_out_string(out, t->event);
		out_str(out, ",\"function\":");
		json_out_string(out, t->functions.items[f].text);
		out_str(out, ",\"terms\":");
		json_out_string(out, t->terms);
		put_json_key(out, r->key);
		put_json_value(out, &t->functions.items[f], &r->cells[f]);
		out_char(out, '}');
		is_first = false;
	}
}

void aggregates_put_json_rows(struct out *out, const struct aggregates *a)
{
	out_char(out, '[');
	for (size_t i = 0; i < a->tables.count; i++) {
		const struct aggregate_table *t = a->tables.items[i];

		for (size_t k = 0; k < t->rows.count; k++) {
			put_json_row(out, t, &t->rows.items[k], i + k == 0);
		}
	}
	out_char(out, ']');
}

void aggregates_put_json(struct out *out, const struct aggregates *a)
{
	out_str(out, "{\"aggregates\":");
	aggregates_put_json_rows(out, a);
	out_str(out, "}\n");
}

/* ---- Prometheus ---- */

/* A metric, and what it has of a function. */
struct metric {
	enum aggregate_kind kind;
	const char *name;
	const char *type;
	const char *help;
};

static const struct metric metrics[] = {
	{ AGGREGATE_COUNT, "waymark_calls_total", "counter", "calls of an event" },
	{ AGGREGATE_SUM, "waymark_summed", "gauge", "sum of a field of an event's calls" },
	{ AGGREGATE_MIN, "waymark_min", "gauge", "least value of a field" },
	{ AGGREGATE_MAX, "waymark_max", "gauge", "greatest value of a field" },
	{ AGGREGATE_AVG, "waymark_avg", "gauge", "average of a field" },
	{ AGGREGATE_HIST, "waymark_hist", "histogram", "values of a field by powers of two" },
	{ AGGREGATE_QUANTILE, "waymark_quantile", "summary", "quantiles of a field" },
	{ AGGREGATE_LEFT_OUT, "waymark_left_out_total", "counter", "values without memory" },
};

/*
 * Writes a label's value: backslash, quote and newline are escaped, and bytes that are not UTF-8 as
 * in lines.
 */
void aggregates_put_label(struct out *out, const char *text)
{
	size_t length = strlen(text);
	char *shown = xcalloc(ESCAPE_MAX * length + 8, 1);
	const char *end = message_escape(shown, text, length);

	out_char(out, '"');
	for (const char *s = shown; s < end; s++) {
		out_str(out, *s == '"' || *s == '\\' ? "\\" : "");
		out_char(out, *s);
	}
	out_char(out, '"');
	free(shown);
}

/* Writes a label's name for a field: other characters become `_`; it is no name of ours. */
static void put_label_name(struct out *out, const char *field, size_t length)
{
	static const char *const ours[] = { "event", "value", "terms", "le", "quantile", "other",
		"program", "pid", "job", "instance" };
	bool is_ours = !isalpha((unsigned char)*field) && *field != '_';

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++) {
		is_ours |= strlen(ours[i]) == length && memcmp(ours[i], field, length) == 0;
	}
	out_str(out, is_ours ? "field_" : "");
	for (size_t i = 0; i < length; i++) {
		out_char(out, isalnum((unsigned char)field[i]) ? field[i] : '_');
	}
}

/* What a line is of. */
struct line {
	const char *labels; /* of the process */
	const struct aggregate_table *table;
	const struct aggregate_row *row;
	const struct aggregate_function *function;
	const struct aggregate_cell *cell;
	const struct metric *metric;
};

/* Writes the metric's name, and its labels; `extra`: one more, or NULL. */
static void put_labels(struct out *out, const struct line *l, const char *suffix, const char *extra)
{
	const char *key = l->row->key;
	const char *field;
	char value[KEY_BYTES];
	size_t length;

	out_printf(
		out, "%s%s{%s%sevent=", l->metric->name, suffix, l->labels, *l->labels ? "," : "");
	aggregates_put_label(out, l->table->event);
	if (*l->function->value) {
		out_str(out, ",value=");
		aggregates_put_label(out, l->function->value);
	}
	if (*l->table->terms) {
		out_str(out, ",terms=");
		aggregates_put_label(out, l->table->terms);
	}
	if (strcmp(key, OWN_AGGREGATE_OTHER) == 0) {
		out_str(out, ",other=\"true\"");
	}
	while (aggregate_next_key(&key, &field, &length, value, sizeof(value))) {
		out_char(out, ',');
		put_label_name(out, field, length);
		out_char(out, '=');
		aggregates_put_label(out, value);
	}
	out_printf(out, "%s%s} ", extra ? "," : "", extra ? extra : "");
}

static void put_buckets(struct out *out, const struct line *l)
{
	uint64_t sum = 0;
	char le[48];

	for (size_t i = 0; i < l->cell->buckets.count; i++) {
		const struct aggregate_bucket *b = &l->cell->buckets.items[i];
		int64_t end = aggregate_bucket_end(AGGREGATE_HIST, b->from);

		sum += (uint64_t)b->integer;
		snprintf(le, sizeof(le), "le=\"%" PRId64 "\"", end - 1);
		put_labels(out, l, "_bucket", le);
		out_printf(out, "%" PRIu64 "\n", sum);
	}
	put_labels(out, l, "_bucket", "le=\"+Inf\"");
	out_printf(out, "%" PRIu64 "\n", sum);
	put_labels(out, l, "_count", NULL);
	out_printf(out, "%" PRIu64 "\n", sum);
}

static void put_quantiles(struct out *out, const struct line *l)
{
	char label[48];

	for (size_t i = 0; i < AGGREGATES_SHARES; i++) {
		snprintf(label, sizeof(label), "quantile=\"%g\"", aggregates_shares[i] / 1000.0);
		put_labels(out, l, "", label);
		out_printf(out, "%" PRId64 "\n", aggregate_quantile(l->cell, aggregates_shares[i]));
	}
	put_labels(out, l, "_count", NULL);
	out_printf(out, "%" PRIu64 "\n", aggregate_total(l->cell, AGGREGATE_QUANTILE));
}

static void put_lines(struct out *out, const struct line *l)
{
	struct aggregate_bucket avg;

	switch (l->metric->kind) {
	case AGGREGATE_HIST:
		put_buckets(out, l);
		break;
	case AGGREGATE_QUANTILE:
		put_quantiles(out, l);
		break;
	case AGGREGATE_AVG:
		put_labels(out, l, "", NULL);
		avg = aggregates_avg(l->cell);
		put_number(out, &avg, NULL);
		out_char(out, '\n');
		break;
	default:
		put_labels(out, l, "", NULL);
		put_number(out, &l->cell->buckets.items[0], NULL);
		out_char(out, '\n');
		break;
	}
}

/* Writes a metric's lines of one table; before the first one its type. */
static void put_metric_of(struct out *out, const char *labels, const struct aggregate_table *t,
	const struct metric *m, bool *has_type)
{
	for (size_t i = 0; i < t->rows.count * t->functions.count; i++) {
		const struct aggregate_row *r = &t->rows.items[i / t->functions.count];
		const struct aggregate_function *f = &t->functions.items[i % t->functions.count];
		const struct line l = { labels, t, r, f, &r->cells[i % t->functions.count], m };

		if (f->kind != m->kind || l.cell->buckets.count == 0) {
			continue;
		}
		if (!*has_type) {
			out_printf(out, "# HELP %s %s\n# TYPE %s %s\n", m->name, m->help, m->name,
				m->type);
			*has_type = true;
		}
		put_lines(out, &l);
	}
}

void aggregates_put_prometheus_sets(
	struct out *out, const struct aggregates_set *sets, size_t count)
{
	for (size_t m = 0; m < ARRAY_SIZE(metrics); m++) {
		bool has_type = false;

		for (size_t s = 0; s < count; s++) {
			for (size_t i = 0; i < sets[s].all->tables.count; i++) {
				put_metric_of(out, sets[s].labels, sets[s].all->tables.items[i],
					&metrics[m], &has_type);
			}
		}
	}
}

void aggregates_put_prometheus(struct out *out, const struct aggregates *a)
{
	const struct aggregates_set alone = { a, "" };

	aggregates_put_prometheus_sets(out, &alone, 1);
}
