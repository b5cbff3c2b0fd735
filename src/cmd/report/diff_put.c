/* SPDX-License-Identifier: MIT */
/*
 * The output of `waymark diff`, as text, JSON and CSV. The text has the traces, a table of
 * durations, one of events, and the events that only one side has.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/escaped.h"
#include "cmd/report/diff.h"
#include "view/message/json.h"

/* Events of only one side that are named. */
#define ONLY_SHOWN 10

/* Smaller p-values are not distinguished. */
#define LEAST_P 0.0001

const char *const diff_kinds[] = {
	[CHANGE_SCOPE] = "scope",
	[CHANGE_SELF] = "self",
	[CHANGE_LIFE] = "life",
	[CHANGE_LATENCY] = "latency",
	[CHANGE_EVENT] = "event",
};

static const char *const side_names[] = { "A", "B" };

/* ---- Cells ---- */

/* Writes `+12.3 %`; a change to ten times or more, or to a tenth or less, as `x 12`. */
static void put_percent(char *text, double ratio)
{
	double percent = (ratio - 1) * 100;

	if (ratio >= 10) {
		snprintf(text, DIFF_CHANGE_SIZE, "x %.3g", ratio);
	} else if (fabs(percent) < 9.95) {
		snprintf(text, DIFF_CHANGE_SIZE, "%+.1f %%", percent + 0.0);
	} else {
		snprintf(text, DIFF_CHANGE_SIZE, "%+.0f %%", percent);
	}
}

void diff_change_text(char text[DIFF_CHANGE_SIZE], double ratio)
{
	if (ratio == 0 || isinf(ratio)) {
		snprintf(text, DIFF_CHANGE_SIZE, "%s", ratio == 0 ? "gone" : "new");
	} else {
		put_percent(text, ratio);
	}
}

void diff_rate_text(char text[COLUMNS_TIME_SIZE], double rate)
{
	static const char units[] = " kMG";
	size_t unit = 0;

	while (units[unit + 1] && rate >= 99999.5) {
		rate /= 1000;
		unit++;
	}
	const char suffix[] = { unit ? units[unit] : '\0', '\0' };

	snprintf(text, COLUMNS_TIME_SIZE, "%.*f%s/s",
		rate >= 99.95	? 0
		: rate >= 9.995 ? 1
				: 2,
		rate, suffix);
}

static void put_change(struct columns *c, const struct change *row)
{
	char text[DIFF_CHANGE_SIZE];
	char ends[2][DIFF_CHANGE_SIZE];
	char range[2 * DIFF_CHANGE_SIZE + 4];

	diff_change_text(text, row->ratio);
	columns_put(c, text);
	if (isnan(row->low)) {
		columns_put(c, "-");
	} else {
		put_percent(ends[0], row->low);
		put_percent(ends[1], row->high);
		snprintf(range, sizeof(range), "%s .. %s", ends[0], ends[1]);
		columns_put(c, range);
	}
	if (isnan(row->adjusted)) {
		columns_put(c, "-");
	} else {
		bool is_tiny = row->adjusted < LEAST_P;

		snprintf(text, sizeof(text), is_tiny ? "<%g" : "%.2g",
			is_tiny ? LEAST_P : row->adjusted);
		columns_put(c, text);
	}
}

static void put_name(struct columns *c, const struct change *row)
{
	char *name = NULL;
	size_t size;
	FILE *file = memory_stream(&name, &size);

	fprintf(file, "%s%s%s", row->name, row->to ? " -> " : "", row->to ? row->to : "");
	fclose(file);
	columns_put(c, name);
	free(name);
}

static void put_time(struct columns *c, const struct distribution *d, uint64_t ns)
{
	char text[COLUMNS_TIME_SIZE];

	columns_time(text, ns);
	columns_put(c, d->count ? text : "-");
}

static void put_durations(struct columns *c, const struct diff *d, const struct change *row)
{
	const struct report_form *form = &d->report.form;
	char text[DIFF_CHANGE_SIZE];

	columns_put(c, diff_kinds[row->kind]);
	put_name(c, row);
	put_change(c, row);
	snprintf(text, sizeof(text), "%.0f %%", row->larger * 100);
	columns_put(c, isnan(row->larger) ? "-" : text);
	for (int side = 0; side < CHANGE_SIDES; side++) {
		columns_put_number(c, row->sides[side].count);
	}
	for (size_t i = 0; i < form->percent_count; i++) {
		for (int side = 0; side < CHANGE_SIDES; side++) {
			const struct distribution *values = &row->sides[side].durations;

			put_time(c, values, distribution_percentile(values, form->percents[i]));
		}
	}
	for (int side = 0; side < CHANGE_SIDES; side++) {
		const struct distribution *values = &row->sides[side].durations;

		put_time(c, values, distribution_average(values));
	}
}

static void put_event(struct columns *c, const struct diff *d, const struct change *row)
{
	char text[COLUMNS_TIME_SIZE];

	put_name(c, row);
	put_change(c, row);
	for (int side = 0; side < CHANGE_SIDES; side++) {
		columns_put_number(c, row->sides[side].count);
	}
	for (int side = 0; side < CHANGE_SIDES; side++) {
		diff_rate_text(text, change_rate(&d->changes, row, side));
		columns_put(c, row->sides[side].count ? text : "-");
	}
}

/* ---- Tables ---- */

bool diff_is_shown(const struct diff *d, const struct change *row)
{
	return d->has_noise || row->is_significant;
}

static void put_titles(FILE *out, const struct diff *d, bool is_events)
{
	const struct report_form *form = &d->report.form;

	fprintf(out, "%s CHANGE 95%%-RANGE P%s COUNT-A COUNT-B",
		is_events ? "-EVENT" : "-WHAT -NAME", is_events ? "" : " B>A");
	for (size_t i = 0; !is_events && i < form->percent_count; i++) {
		fprintf(out, " P%s-A P%s-B", form->percent_texts[i], form->percent_texts[i]);
	}
	fputs(is_events ? " RATE-A RATE-B" : " AVERAGE-A AVERAGE-B", out);
}

/* Prints the rows of durations, or of events; at most `top`. Returns how many were left out. */
static size_t put_table(FILE *out, const struct diff *d, bool is_events, size_t top)
{
	struct columns c;
	char *titles = NULL;
	size_t length;
	size_t shown = 0;
	FILE *line = memory_stream(&titles, &length);

	put_titles(line, d, is_events);
	fclose(line);
	columns_init(&c, titles);
	vec_foreach (const struct change *, row, &d->changes.all) {
		if ((row->kind == CHANGE_EVENT) == is_events && diff_is_shown(d, row) &&
			shown++ < top) {
			(is_events ? put_event : put_durations)(&c, d, row);
		}
	}
	columns_print(&c, out);
	fputs(shown && top ? "\n" : "", out);
	columns_fini(&c);
	free(titles);
	return shown > top ? shown - top : 0;
}

/* ---- The rest ---- */

static void put_run(FILE *out, const struct diff_run *run)
{
	char text[COLUMNS_TIME_SIZE];

	columns_time(text, (uint64_t)(run->seconds * 1e9));
	escaped_printf(out, "%s: %s: %" PRIu64 " events in %s", side_names[run->side], run->path,
		run->events, text);
	if (losses_events(&run->losses) > 0) {
		fprintf(out, ", %" PRIu64 " events lost", losses_events(&run->losses));
	}
	if (losses_packets(&run->losses) > 0) {
		fprintf(out, ", %" PRIu64 " packets missing", losses_packets(&run->losses));
	}
	fputc('\n', out);
}

static void put_only(FILE *out, const struct diff *d, enum change_side side)
{
	size_t count = 0;

	vec_foreach (const struct change *, row, &d->changes.all) {
		if (row->kind != CHANGE_EVENT || row->sides[!side].count > 0 ||
			++count > ONLY_SHOWN) {
			continue;
		}
		if (count == 1) {
			fprintf(out, "only in %s: ", side_names[side]);
		}
		escaped_printf(out, "%s%s (%" PRIu64 ")", count > 1 ? ", " : "", row->name,
			row->sides[side].count);
	}
	if (count > ONLY_SHOWN) {
		fprintf(out, " and %zu more", count - ONLY_SHOWN);
	}
	fputs(count ? "\n" : "", out);
}

static void put_sum(FILE *out, const struct diff *d, size_t hidden)
{
	size_t significant = changes_count(&d->changes);
	size_t rows = d->changes.all.count;

	fprintf(out, "%zu of %zu rows changed by more than chance (level %g)", significant, rows,
		d->level);
	fputs(significant < rows && !d->has_noise ? "; --all shows the others\n" : "\n", out);
	if (hidden > 0) {
		fprintf(out, "%zu more are not shown\n", hidden);
	}
}

void diff_put_text(struct diff *d)
{
	char *text = NULL;
	size_t length;
	size_t top = d->report.form.top;
	FILE *out = memory_stream(&text, &length);

	vec_foreach (const struct diff_run *, run, &d->runs) {
		put_run(out, run);
	}
	fputc('\n', out);
	size_t hidden = put_table(out, d, false, top);

	hidden += put_table(out, d, true, top);
	put_only(out, d, CHANGE_BEFORE);
	put_only(out, d, CHANGE_AFTER);
	put_sum(out, d, hidden);
	fclose(out);
	out_bytes(&d->session.out, text, length);
	free(text);
}

/* ---- For programs: all numbers of a row, also those without value ---- */

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
