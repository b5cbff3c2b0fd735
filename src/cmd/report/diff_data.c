/* SPDX-License-Identifier: MIT */
/* Writes what `waymark diff` found for programs: all numbers of a row, also those without value. */
#include <inttypes.h>
#include <math.h>

#include "cmd/report/diff.h"
#include "view/message/json.h"

static const char *const sides[] = { "a", "b" };

/* Writes a number; what is no number, or infinite, as `none`. */
static void put_number(struct out *out, double number, const char *none)
{
	if (isfinite(number)) {
		out_printf(out, "%.6g", number);
	} else {
		out_str(out, none);
	}
}

/* ---- JSON ---- */

static void put_runs(struct out *out, const struct diff *d, enum change_side side)
{
	bool is_first = true;

	vec_foreach (const struct diff_run *, run, &d->runs) {
		if (run->side != side) {
			continue;
		}
		out_str(out, is_first ? "{\"path\":" : ",{\"path\":");
		json_out_string(out, run->path);
		out_printf(out,
			",\"events\":%" PRIu64 ",\"seconds\":%.9f,\"lost\":%" PRIu64
			",\"packets_missing\":%" PRIu64 "}",
			run->events, run->seconds, losses_events(&run->losses),
			losses_packets(&run->losses));
		is_first = false;
	}
}

static void put_side(struct out *out, const struct diff *d, const struct change *row, int side)
{
	const struct report_form *form = &d->report.form;
	const struct change_numbers *n = &row->sides[side];
	const struct distribution *values = &n->durations;

	out_printf(out, ",\"%s\":{\"count\":%" PRIu64, sides[side], n->count);
	if (row->kind == CHANGE_EVENT) {
		out_printf(out, ",\"rate\":%.6g}", change_rate(&d->changes, row, side));
		return;
	}
	out_printf(out, ",\"total_ns\":%" PRIu64 ",\"average_ns\":%" PRIu64, values->sum,
		distribution_average(values));
	for (size_t i = 0; i < form->percent_count; i++) {
		out_printf(out, ",\"p%s_ns\":%" PRIu64, form->percent_texts[i],
			distribution_percentile(values, form->percents[i]));
	}
	out_char(out, '}');
}

static const struct {
	const char *name;
	size_t offset;
} numbers[] = {
	{ "ratio", offsetof(struct change, ratio) },
	{ "low", offsetof(struct change, low) },
	{ "high", offsetof(struct change, high) },
	{ "p", offsetof(struct change, p) },
	{ "adjusted", offsetof(struct change, adjusted) },
	{ "larger", offsetof(struct change, larger) },
};

static double number_of(const struct change *row, size_t i)
{
	return *(const double *)((const char *)row + numbers[i].offset);
}

static void put_row(struct out *out, const struct diff *d, const struct change *row)
{
	out_printf(out, "{\"kind\":\"%s\",\"name\":", diff_kinds[row->kind]);
	json_out_string(out, row->name);
	if (row->to) {
		out_str(out, ",\"to\":");
		json_out_string(out, row->to);
	}
	out_printf(out, ",\"significant\":%s", row->is_significant ? "true" : "false");
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		out_printf(out, ",\"%s\":", numbers[i].name);
		put_number(out, number_of(row, i), "null");
	}
	put_side(out, d, row, CHANGE_BEFORE);
	put_side(out, d, row, CHANGE_AFTER);
	out_char(out, '}');
}

void diff_put_json(struct diff *d)
{
	struct out *out = &d->session.out;
	size_t shown = 0;

	out_str(out, "{\"a\":[");
	put_runs(out, d, CHANGE_BEFORE);
	out_str(out, "],\n\"b\":[");
	put_runs(out, d, CHANGE_AFTER);
	out_printf(out, "],\n\"level\":%g,\"rows\":%zu,\"significant\":%zu,\n\"changes\":[",
		d->level, d->changes.all.count, changes_count(&d->changes));
	vec_foreach (const struct change *, row, &d->changes.all) {
		if (diff_is_shown(d, row) && shown < d->report.form.top) {
			out_str(out, shown++ ? ",\n " : "\n ");
			put_row(out, d, row);
		}
	}
	out_str(out, "]}\n");
}

/* ---- CSV ---- */

static void put_csv_titles(struct out *out, const struct report_form *form)
{
	out_str(out, "kind,name,to,significant");
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		out_printf(out, ",%s", numbers[i].name);
	}
	for (int side = 0; side < CHANGE_SIDES; side++) {
		out_printf(out, ",%s_count,%s_rate,%s_total_ns,%s_average_ns", sides[side],
			sides[side], sides[side], sides[side]);
		for (size_t i = 0; i < form->percent_count; i++) {
			out_printf(out, ",%s_p%s_ns", sides[side], form->percent_texts[i]);
		}
	}
	out_char(out, '\n');
}

static void put_csv_side(struct out *out, const struct diff *d, const struct change *row, int side)
{
	const struct report_form *form = &d->report.form;
	const struct distribution *values = &row->sides[side].durations;

	out_printf(out, ",%" PRIu64 ",", row->sides[side].count);
	if (row->kind == CHANGE_EVENT) {
		out_printf(out, "%.6g,,", change_rate(&d->changes, row, side));
	} else {
		out_printf(out, ",%" PRIu64 ",%" PRIu64, values->sum, distribution_average(values));
	}
	for (size_t i = 0; i < form->percent_count; i++) {
		out_char(out, ',');
		if (row->kind != CHANGE_EVENT) {
			out_printf(out, "%" PRIu64,
				distribution_percentile(values, form->percents[i]));
		}
	}
}

void diff_put_csv(struct diff *d)
{
	struct out *out = &d->session.out;
	size_t shown = 0;

	put_csv_titles(out, &d->report.form);
	vec_foreach (const struct change *, row, &d->changes.all) {
		if (!diff_is_shown(d, row) || shown++ >= d->report.form.top) {
			continue;
		}
		out_printf(out, "%s,", diff_kinds[row->kind]);
		report_put_csv_text(out, row->name);
		out_char(out, ',');
		report_put_csv_text(out, row->to);
		out_str(out, row->is_significant ? ",1" : ",0");
		for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
			out_char(out, ',');
			put_number(out, number_of(row, i), "");
		}
		put_csv_side(out, d, row, CHANGE_BEFORE);
		put_csv_side(out, d, row, CHANGE_AFTER);
		out_char(out, '\n');
	}
}
