/* SPDX-License-Identifier: MIT */
/*
 * `waymark diff`: compares traces from before and after a change, and tells what changed by more
 * than chance. With --fail-above, a change that is larger is an error, for tests that run
 * unattended. analyse/numbers/significance.h has the tests.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/escaped.h"
#include "cmd/report/diff.h"
#include "cmd/selection.h"
#include "cmd/waymark.h"

#define LEVEL_DEFAULT 0.01

/* Changes beyond the bound that are named, each on a line. */
#define BEYOND_SHOWN 10

enum {
	KEY_BEFORE = REPORT_KEY_OWN,
	KEY_AFTER,
	KEY_FROM,
	KEY_TO,
	KEY_BY,
	KEY_ALL,
	KEY_LEVEL,
	KEY_FAIL,
	KEY_FLAMEGRAPH
};

static const struct argument rows[] = {
	{ KEY_BEFORE, "a", "TRACE", "one more trace from before; may be repeated" },
	{ KEY_AFTER, "b", "TRACE", "one more trace from after; may be repeated" },
	{ KEY_ALL, "all", NULL, "show changes that may be noise, too" },
	{ KEY_LEVEL, "level", "P",
		"probability of any wrong row if nothing changed (default: 0.01)" },
	{ KEY_FAIL, "fail-above", "PERCENT",
		"exit with 1 if a change is larger; +PERCENT: only increases" },
	{ KEY_FLAMEGRAPH, "flamegraph", "FILE", "draw where scopes took more time, and less" },
	{ KEY_FROM, "from", "EVENT",
		"also compare times from this event: a name, glob or /REGEX/" },
	{ KEY_TO, "to", "EVENT", "to this one" },
	{ KEY_BY, "by", "FIELDS",
		"fields whose values pair events, with commas; ONE=OTHER, @pid, @tid too" },
	{ REPORT_KEY_SORT, "sort", "BY", "change; total; p; name: sort key (default: change)" },
	{ REPORT_KEY_PERCENTILES, "percentiles", "LIST",
		"percentiles to show, with commas (default: 50,90,99)" },
	{ REPORT_KEY_TOP, "top", "N", "print only the first N rows" },
	SELECTION_ROWS,
	REPORT_ROW_WHERE("events, and spans"),
	REPORT_ROWS_OUTPUT,
	{ 0 },
};

static const struct command command = {
	.name = "waymark diff",
	.usage = "[OPTION...] A B",
	.about =
		"Compares trace A, before a change, with trace B, after it: how long scopes, declared\n"
		"lives and pairs of events took, and how often each event happened. Shows the changes\n"
		"that are larger than chance, the largest first. A and B are files or directories; one\n"
		"may be -, standard input.",
	.arguments = rows,
};

/* ---- Options ---- */

static int take_order(struct diff *d, const char *text)
{
	static const char *const orders[] = {
		[CHANGES_BY_CHANGE] = "change",
		[CHANGES_BY_TOTAL] = "total",
		[CHANGES_BY_P] = "p",
		[CHANGES_BY_NAME] = "name",
	};
	int order = arguments_word(text, orders, ARRAY_SIZE(orders));

	if (order < 0) {
		return arguments_bad(
			&command, "--sort takes change, total, p or name, not '%s'", text);
	}
	d->order = (enum changes_order)order;
	return 0;
}

/* Reads a number of decimal digits, at most one point, from 0 to `max`. */
static bool read_decimal(const char *text, double max, double *number)
{
	char *end;

	if (!*text || strspn(text, "0123456789.") != strlen(text)) {
		return false;
	}
	*number = strtod(text, &end);
	return !*end && *number <= max;
}

static int take_level(struct diff *d, const char *text)
{
	if (!read_decimal(text, 1, &d->level) || d->level <= 0) {
		return arguments_bad(
			&command, "'%s' is not a probability above 0, at most 1", text);
	}
	return 0;
}

static int take_bound(struct diff *d, const char *text)
{
	d->is_bound_up = *text == '+';
	if (!read_decimal(text + d->is_bound_up, 1e9, &d->bound)) {
		return arguments_bad(&command, "'%s' is not a percentage: 10, or +10", text);
	}
	return 0;
}

static int take(struct diff *d, int key)
{
	switch (key) {
	case KEY_BEFORE:
	case KEY_AFTER:
		vec_push(&d->paths[key == KEY_BEFORE ? CHANGE_BEFORE : CHANGE_AFTER], optarg);
		return 0;
	case KEY_ALL:
		d->has_noise = true;
		return 0;
	case KEY_LEVEL:
		return take_level(d, optarg);
	case KEY_FAIL:
		return take_bound(d, optarg);
	case KEY_FLAMEGRAPH:
		d->flamegraph = optarg;
		return 0;
	case KEY_FROM:
	case KEY_TO:
		return pair_options_event(
			&d->pairs, &command, key == KEY_FROM ? LATENCY_FROM : LATENCY_TO);
	case KEY_BY:
		return pair_options_by(&d->pairs, &command, optarg);
	case REPORT_KEY_SORT:
		return take_order(d, optarg);
	default:
		return report_take(&d->report, &d->session, &command, key);
	}
}

static int check_pairs(struct diff *d)
{
	const struct latency_options *l = &d->pairs.latency;

	if (!l->events[LATENCY_FROM] != !l->events[LATENCY_TO]) {
		return arguments_bad(
			&command, "%s is missing", l->events[LATENCY_FROM] ? "--to" : "--from");
	}
	if (!l->events[LATENCY_FROM] && l->by_count > 0) {
		return arguments_bad(&command, "--by needs --from and --to");
	}
	if (l->events[LATENCY_FROM]) {
		pair_options_end(&d->pairs);
	}
	return 0;
}

/* Lists the traces of both sides: those of --a and --b, else the words. */
static int check_traces(struct diff *d, char *const *words)
{
	size_t inputs = 0;

	for (int side = 0; side < CHANGE_SIDES; side++) {
		if (d->paths[side].count == 0 && *words) {
			vec_push(&d->paths[side], *words++);
		}
		if (d->paths[side].count == 0) {
			return arguments_bad(&command, "the trace %s is missing",
				side == CHANGE_BEFORE ? "A, from before," : "B, from after,");
		}
		vec_foreach (char **, path, &d->paths[side]) {
			vec_push(&d->all, *path);
			inputs += strcmp(*path, "-") == 0;
		}
	}
	vec_push(&d->all, NULL);
	if (*words) {
		return arguments_bad(&command,
			"unexpected '%s': further traces are given by --a and --b", *words);
	}
	return inputs > 1 ? arguments_bad(&command, "only one trace can be standard input") : 0;
}

/* Reads the command line; returns 0, or the result that ends the run. */
static int parse(struct diff *d, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		int failed = take(d, key);

		if (failed) {
			return failed;
		}
	}
	int failed = check_pairs(d);

	d->pairs.latency.where = session_take_where(&d->session);
	if (!failed && d->flamegraph && strcmp(d->flamegraph, "-") == 0) {
		failed = arguments_bad(&command, "--flamegraph takes a file, not '-'");
	}
	if (!failed && d->flamegraph && d->report.output &&
		strcmp(d->flamegraph, d->report.output) == 0) {
		failed = arguments_bad(&command,
			"'%s' cannot be both the output and the flame graph", d->flamegraph);
	}
	return failed ? failed : check_traces(d, argv + optind);
}

/* ---- The flame graph ---- */

static void draw(struct diff *d)
{
	struct session *s = &d->session;
	struct out out;
	int fd = open(d->flamegraph, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd < 0) {
		escaped_say(
			s->name, "%s: cannot open for writing: %s", d->flamegraph, strerror(errno));
		s->problems++;
		return;
	}
	out_init(&out, fd);
	flamegraph_put(&d->flames, &out, "after, compared with before");
	int error = out_flush(&out);

	out_fini(&out);
	error = close(fd) != 0 && !error ? errno : error;
	if (error) {
		escaped_say(s->name, "%s: cannot write: %s", d->flamegraph, strerror(error));
		s->problems++;
	}
}

/* ---- The bound ---- */

static bool is_beyond(const struct diff *d, const struct change *row)
{
	double percent = (row->ratio - 1) * 100;

	if (d->is_bound_up) {
		return row->is_significant && percent > d->bound;
	}
	return row->is_significant && fabs(percent) > d->bound;
}

static void say_beyond(struct diff *d, const struct change *row)
{
	char change[DIFF_CHANGE_SIZE];
	char values[CHANGE_SIDES][COLUMNS_TIME_SIZE];

	for (int side = 0; side < CHANGE_SIDES; side++) {
		if (row->kind == CHANGE_EVENT) {
			diff_rate_text(values[side], change_rate(&d->changes, row, side));
		} else {
			columns_time(
				values[side], distribution_percentile(&row->sides[side].durations,
						      (struct distribution_share){ 1, 2 }));
		}
	}
	diff_change_text(change, row->ratio);
	session_say(&d->session, "%s '%s%s%s': %s %s before, %s after: %s, beyond %s%g %%",
		diff_kinds[row->kind], row->name, row->to ? "' to '" : "", row->to ? row->to : "",
		row->kind == CHANGE_EVENT ? "rate" : "median", values[CHANGE_BEFORE],
		values[CHANGE_AFTER], change, d->is_bound_up ? "+" : "", d->bound);
}

/* Names the changes beyond the bound, the first ones in the order of the table. */
static size_t count_beyond(struct diff *d)
{
	size_t count = 0;

	vec_foreach (const struct change *, row, &d->changes.all) {
		if (d->bound >= 0 && is_beyond(d, row) && ++count <= BEYOND_SHOWN) {
			say_beyond(d, row);
		}
	}
	if (count > BEYOND_SHOWN) {
		session_say(&d->session, "%zu more changes are beyond it", count - BEYOND_SHOWN);
	}
	return count;
}

/* ---- The run ---- */

static bool has_common_event(const struct changes *c)
{
	vec_foreach (const struct change *, row, &c->all) {
		if (row->kind == CHANGE_EVENT && row->sides[CHANGE_BEFORE].count > 0 &&
			row->sides[CHANGE_AFTER].count > 0) {
			return true;
		}
	}
	return false;
}

/* Reports, as problems, comparisons that say nothing. */
static void check(struct diff *d)
{
	struct session *s = &d->session;

	s->trace = NULL;
	if (!has_common_event(&d->changes)) {
		session_say(s, "A and B have no event in common: are they of the same program?");
		s->problems++;
	}
	if (d->pairs.latency.by_count > 0 && d->pairs_found == 0 &&
		report_has_event(s, &d->pairs.events[LATENCY_FROM]) &&
		report_has_event(s, &d->pairs.events[LATENCY_TO])) {
		session_say(s,
			"--from and --to make no pair%s: waymark latency tells which fields "
			"would pair them",
			d->pairs.is_default ? " on one thread" : "");
		s->problems++;
	}
}

/* Reads all traces. Returns false if one cannot be compared. */
static bool read_all(struct diff *d)
{
	for (size_t i = 0; d->all.items[i]; i++) {
		enum change_side side =
			i < d->paths[CHANGE_BEFORE].count ? CHANGE_BEFORE : CHANGE_AFTER;

		if (i == d->paths[CHANGE_BEFORE].count) {
			flamegraph_compare(&d->flames);
		}
		if (!diff_read(d, i, side)) {
			return false;
		}
	}
	return true;
}

/* Compares and prints; returns the number of changes beyond the bound. */
static size_t run(struct diff *d)
{
	static void (*const puts[])(struct diff *) = {
		[REPORT_TEXT] = diff_put_text,
		[REPORT_JSON] = diff_put_json,
		[REPORT_CSV] = diff_put_csv,
	};

	if (!read_all(d)) {
		d->session.unreadable = true;
		return 0;
	}
	changes_judge(&d->changes, d->level);
	changes_sort(&d->changes, d->order);
	check(d);
	session_begin_output(&d->session);
	puts[d->report.style](d);
	if (d->flamegraph) {
		draw(d);
	}
	out_flush(&d->session.out);
	return count_beyond(d);
}

static void diff_init(struct diff *d)
{
	*d = (struct diff){ .level = LEVEL_DEFAULT, .bound = -1 };
	session_init(&d->session, command.name);
	pair_options_init(&d->pairs);
	report_options_init(&d->report);
	flamegraph_init(&d->flames);
}

static void diff_fini(struct diff *d)
{
	for (int side = 0; side < CHANGE_SIDES; side++) {
		vec_fini(&d->paths[side]);
	}
	vec_fini(&d->all);
	vec_fini(&d->runs);
	flamegraph_fini(&d->flames);
	pair_options_fini(&d->pairs);
}

int waymark_diff(int argc, char **argv)
{
	struct diff d;
	size_t beyond = 0;

	diff_init(&d);
	int failed = parse(&d, argc, argv);
	int status = failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;

	changes_init(&d.changes, d.all.count > CHANGE_SIDES + 1);
	if (!failed && session_open_in_turn(&d.session, d.all.items, d.report.output) &&
		(!d.flamegraph || session_may_write(&d.session, d.flamegraph))) {
		beyond = run(&d);
	} else {
		d.session.unreadable = true;
	}
	int ended = session_end(&d.session);

	changes_fini(&d.changes);
	diff_fini(&d);
	if (failed) {
		return status;
	}
	return beyond > 0 ? EXIT_FAILURE : ended;
}
