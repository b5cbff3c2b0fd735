/* SPDX-License-Identifier: MIT */
/*
 * The tests of analyse/numbers/significance.h for significance.py, which computes the same in
 * another way. Each line of standard input is a test, and its numbers; prints the results.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/numbers/significance.h"
#include "base/compiler.h"

#define NUMBERS_MAX 100000

static double numbers[NUMBERS_MAX];
static size_t count;

/* student T FREEDOM */
static void student(void)
{
	printf("%.15g %.15g\n", significance_student(numbers[0], numbers[1]),
		significance_student_limit(numbers[0] / 40, numbers[1]));
}

/* beta A B X */
static void beta(void)
{
	printf("%.15g\n", significance_beta(numbers[0], numbers[1], numbers[2]));
}

/* ranks N, then N values of a, then those of b */
static void ranks(void)
{
	struct batches sides[2] = { 0 };

	for (size_t i = 1; i < count; i++) {
		batches_add(&sides[i > (size_t)numbers[0]], (uint64_t)numbers[i]);
	}
	struct rank_test t = significance_ranks(&sides[0], &sides[1]);

	printf("%.15g %.15g %.15g %.15g %.15g\n", t.p, t.larger, t.inflation[0], t.inflation[1],
		t.freedom);
	batches_fini(&sides[0]);
	batches_fini(&sides[1]);
}

/* rates COUNT SECONDS COUNT SECONDS FACTOR FREEDOM */
static void rates(void)
{
	const struct inflation dispersion = { numbers[4], numbers[5] };
	const struct event_rate a = { (uint64_t)numbers[0], numbers[1], dispersion };
	const struct event_rate b = { (uint64_t)numbers[2], numbers[3], dispersion };

	printf("%.15g\n", significance_rates(&a, &b));
}

/* dispersion LAST, then counts */
static void dispersion(void)
{
	uint64_t counts[SLICES_MAX];

	for (size_t i = 1; i < count; i++) {
		counts[i - 1] = (uint64_t)numbers[i];
	}
	struct inflation d = significance_dispersion(counts, count - 1, numbers[0]);

	printf("%.15g %.15g\n", d.factor, d.freedom);
}

/* runs VARIANCE N, then N logarithms of a, then those of b */
static void runs(void)
{
	size_t n = (size_t)numbers[1];
	const struct run_values a = { numbers + 2, n, numbers[0] };
	const struct run_values b = { numbers + 2 + n, count - 2 - n, numbers[0] };
	struct runs_test t = significance_runs(&a, &b);

	printf("%.15g %.15g %.15g\n", t.p, t.change, t.error);
}

/* holm P... */
static void holm(void)
{
	significance_holm(numbers, count);
	for (size_t i = 0; i < count; i++) {
		printf("%.15g%s", numbers[i], i + 1 < count ? " " : "\n");
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
	{ "student", student },
	{ "beta", beta },
	{ "ranks", ranks },
	{ "rates", rates },
	{ "dispersion", dispersion },
	{ "runs", runs },
	{ "holm", holm },
};

static void run_line(char *line)
{
	char *rest;
	const char *name = strtok_r(line, " \n", &rest);

	count = 0;
	for (const char *word; count < NUMBERS_MAX && (word = strtok_r(NULL, " \n", &rest));) {
		numbers[count++] = strtod(word, NULL);
	}
	for (size_t i = 0; name && i < ARRAY_SIZE(tests); i++) {
		if (strcmp(tests[i].name, name) == 0) {
			tests[i].run();
		}
	}
}

int main(void)
{
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) > 0) {
		run_line(line);
	}
	free(line);
	return EXIT_SUCCESS;
}
