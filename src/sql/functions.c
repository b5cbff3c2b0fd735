/* SPDX-License-Identifier: MIT */
/*
 * The functions that questions to a trace need and SQLite does not have. percentile() and median()
 * are exact: they keep the numbers of their group.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sql/tables.h"
#include "text/out.h"

/* ---- Numbers of a group ---- */

struct numbers {
	VEC(double) all;
	double share; /* of percentile(), 0 to 100 */
	bool has_share;
};

static void add_number(sqlite3_context *to, sqlite3_value *value)
{
	struct numbers *n = sqlite3_aggregate_context(to, sizeof(*n));

	if (!n) {
		sqlite3_result_error_nomem(to);
	} else if (sqlite3_value_numeric_type(value) == SQLITE_INTEGER ||
		   sqlite3_value_numeric_type(value) == SQLITE_FLOAT) {
		vec_push(&n->all, sqlite3_value_double(value));
	}
}

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Gives the number below which a share of the sorted ones is; between two of them by proportion. */
static void show_share(sqlite3_context *to, struct numbers *n, double share)
{
	double *all = n->all.items;
	double place = share / 100 * (double)(n->all.count - 1);
	size_t below = (size_t)place;
	double rest = place - (double)below;

	qsort(all, n->all.count, sizeof(*all), compare_numbers);
	double number = rest > 0 ? all[below] + rest * (all[below + 1] - all[below]) : all[below];

	if (number == floor(number) && fabs(number) < 0x1p53) {
		sqlite3_result_int64(to, (sqlite3_int64)number);
	} else {
		sqlite3_result_double(to, number);
	}
}

static void step_percentile(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	struct numbers *n = sqlite3_aggregate_context(to, sizeof(*n));
	double share = sqlite3_value_double(argv[1]);

	(void)argc;
	if (!(share >= 0 && share <= 100)) {
		sqlite3_result_error(to, "percentile(X, P): P must be a number from 0 to 100", -1);
	} else if (n && n->has_share && n->share != share) {
		sqlite3_result_error(to, "percentile(X, P): P must be the same in all rows", -1);
	} else if (n) {
		n->share = share;
		n->has_share = true;
		add_number(to, argv[0]);
	}
}

static void step_median(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	struct numbers *n = sqlite3_aggregate_context(to, sizeof(*n));

	(void)argc;
	if (n) {
		n->share = 50;
		add_number(to, argv[0]);
	}
}

static void end_percentile(sqlite3_context *to)
{
	struct numbers *n = sqlite3_aggregate_context(to, 0);

	if (!n || n->all.count == 0) {
		sqlite3_result_null(to);
	} else {
		show_share(to, n, n->share);
	}
	if (n) {
		vec_fini(&n->all);
	}
}

/* ---- Histograms ---- */

#define BARS 65 /* for 0, and for each number of bits */
#define BAR_WIDTH 40

struct bars {
	uint64_t counts[BARS];
};

static unsigned int bits_of(int64_t v)
{
	return v > 0 ? 64 - (unsigned int)__builtin_clzll((uint64_t)v) : 0;
}

/* Returns the smallest number that needs `bits` bits. */
static int64_t least_of(unsigned int bits)
{
	return bits == 0 ? 0 : INT64_C(1) << (bits - 1);
}

static void bucket(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	(void)argc;
	if (sqlite3_value_numeric_type(argv[0]) == SQLITE_NULL) {
		return;
	}
	sqlite3_result_int64(to, least_of(bits_of(sqlite3_value_int64(argv[0]))));
}

static void step_histogram(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	struct bars *b = sqlite3_aggregate_context(to, sizeof(*b));

	(void)argc;
	if (b && sqlite3_value_numeric_type(argv[0]) != SQLITE_NULL) {
		b->counts[bits_of(sqlite3_value_int64(argv[0]))]++;
	}
}

static void put_bar(struct out *out, unsigned int bits, uint64_t count, uint64_t most)
{
	out_printf(out, "%20lld %10llu ", (long long)least_of(bits), (unsigned long long)count);
	for (uint64_t i = 0; i < (count * BAR_WIDTH + most - 1) / most; i++) {
		out_char(out, '#');
	}
	out_char(out, '\n');
}

/* Gives a line for each power of two between the smallest and the largest number. */
static void end_histogram(sqlite3_context *to)
{
	struct bars *b = sqlite3_aggregate_context(to, 0);
	unsigned int first = BARS;
	unsigned int last = 0;
	uint64_t most = 0;
	struct out out;

	for (unsigned int i = 0; b && i < BARS; i++) {
		first = b->counts[i] && i < first ? i : first;
		last = b->counts[i] ? i : last;
		most = b->counts[i] > most ? b->counts[i] : most;
	}
	if (most == 0) {
		sqlite3_result_null(to);
		return;
	}
	out_init(&out, OUT_TO_MEMORY);
	for (unsigned int i = first; i <= last; i++) {
		put_bar(&out, i, b->counts[i], most);
	}
	sqlite3_result_text(to, out.data, (int)out.len - 1, SQLITE_TRANSIENT);
	out_fini(&out);
}

/* ---- Durations ---- */

/* Gives nanoseconds as text: 17 ns, 1.250 us, 3.007 ms, 12.500 s. */
static void duration(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" } };
	double ns = sqlite3_value_double(argv[0]);
	char text[64];

	(void)argc;
	if (sqlite3_value_numeric_type(argv[0]) == SQLITE_NULL) {
		return;
	}
	snprintf(text, sizeof(text), "%.0f ns", ns);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (fabs(ns) >= units[i].ns) {
			snprintf(text, sizeof(text), "%.3f %s", ns / units[i].ns, units[i].name);
			break;
		}
	}
	sqlite3_result_text(to, text, -1, SQLITE_TRANSIENT);
}

/* ---- All functions ---- */

static const struct {
	const char *name;
	int arguments;
	void (*call)(sqlite3_context *to, int argc, sqlite3_value **argv);
	void (*step)(sqlite3_context *to, int argc, sqlite3_value **argv);
	void (*end)(sqlite3_context *to);
} functions[] = {
	{ "percentile", 2, NULL, step_percentile, end_percentile },
	{ "median", 1, NULL, step_median, end_percentile },
	{ "histogram", 1, NULL, step_histogram, end_histogram },
	{ "bucket", 1, bucket, NULL, NULL },
	{ "duration", 1, duration, NULL, NULL },
};

int sql_add_functions(sqlite3 *db)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		int result =
			sqlite3_create_function_v2(db, functions[i].name, functions[i].arguments,
				SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL,
				functions[i].call, functions[i].step, functions[i].end, NULL);

		if (result != SQLITE_OK) {
			return result;
		}
	}
	return SQLITE_OK;
}
