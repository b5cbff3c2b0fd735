/* SPDX-License-Identifier: MIT */
/*
 * The text of `waymark diff`: the traces, a table of durations, one of events, and the events that
 * only one side has.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/escaped.h"
#include "cmd/report/diff.h"

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
