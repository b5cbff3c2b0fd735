/* SPDX-License-Identifier: MIT */
/*
 * What waymark diff calls a change. Runs of the same random behaviour differ significantly in at
 * most the stated share of comparisons, even if values and events come in phases and bursts; real
 * changes are found. An argument multiplies the number of comparisons.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/changes.h"
#include "random.h"

#define ROWS 8
#define KINDS (sizeof(kinds) / sizeof(*kinds))

static unsigned int times = 1;

/* ---- Behaviours: the logarithm of the next value, from what came before ---- */

struct past {
	double level;
	int left; /* values until a new phase */
};

static double independent(struct past *p)
{
	(void)p;
	return normal();
}

/* A half of the values is the same. */
static double tied(struct past *p)
{
	(void)p;
	return uniform() < 0.5 ? 0 : floor(2 * normal()) / 4;
}

/* Each value is much like the one before. */
static double drifting(struct past *p)
{
	p->level = 0.9 * p->level + 0.3 * normal();
	return p->level;
}

/* Phases that differ a little, and independent outliers that differ very much. */
static double phases(struct past *p)
{
	if (p->left-- <= 0) {
		p->level = 0.1 * normal();
		p->left = (int)(20 * -log(uniform()));
	}
	return uniform() < 0.02 ? 8 * uniform() : p->level + 0.01 * normal();
}

static const struct {
	const char *name;
	double (*next)(struct past *p);
	size_t least; /* number of values */
} kinds[] = {
	{ "independent", independent, 0 },
	{ "tied", tied, 0 },
	{ "drifting", drifting, 200 },
	{ "in phases", phases, 200 },
};

/* A run of a few phases cannot tell how much they differ: such runs have at least ten. */
static size_t any_count(size_t kind)
{
	static const size_t mosts[] = { 4, 30, 200, 3000 };

	return kinds[kind].least + 1 + (size_t)(uniform() * (double)mosts[(int)(uniform() * 4)]);
}

static void fill(struct batches *b, size_t kind, size_t count, double more)
{
	struct past past = { 0 };

	/* The start is like any other time. */
	for (int i = 0; i < 50; i++) {
		kinds[kind].next(&past);
	}
	for (size_t i = 0; i < count; i++) {
		batches_add(b, (uint64_t)(50000 * exp(kinds[kind].next(&past) + more)));
	}
}

/* ---- Runs ---- */

static const struct event_class classes[] = {
	{ .name = "alone", .index = 0 },
	{ .name = "in bursts", .index = 1 },
	{ .name = "regular", .index = 2 },
	{ .name = "rare", .index = 3 },
};

/* Adds a run of some seconds, in milliseconds, with events at `rate` times the usual rates. */
static void fill_slices(struct slices *s, double rate)
{
	double length = (0.5 + uniform()) * 1000;
	double burst = 0;
	double rare = uniform() < rate / 3 ? length * uniform() : -1;

	for (double ms = 0; ms < length; ms += 1) {
		struct record rec = { .ns = UINT64_C(1000000) * (uint64_t)ms + 5000 };

		rec.class = &classes[2];
		slices_see(s, rec.ns);
		slices_add(s, &rec);
		rec.class = &classes[0];
		for (double left = rate / 2; uniform() < left; left -= 1) {
			slices_add(s, &rec);
		}
		burst = uniform() < 0.02 * rate ? 30 : burst - 1;
		rec.class = &classes[1];
		if (burst > 0) {
			slices_add(s, &rec);
		}
		rec.class = &classes[3];
		if (rare >= ms && rare < ms + 1) {
			slices_add(s, &rec);
		}
	}
}

static void add_run(struct changes *c, enum change_side side, double rate, double more)
{
	struct slices slices = { 0 };

	fill_slices(&slices, rate);
	changes_add_events(c, side, &slices);
	slices_fini(&slices);
	for (size_t i = 0; i < ROWS; i++) {
		char name[16];
		const struct change row = { .kind = CHANGE_SCOPE, .name = name };
		struct batches batches = { 0 };

		snprintf(name, sizeof(name), "scope %zu", i);
		fill(&batches, i % KINDS, any_count(i % KINDS), more);
		changes_add_durations(c, side, &row, &batches);
		batches_fini(&batches);
	}
}

/* Compares runs; returns whether a row is significant. */
static bool differs(size_t before, size_t after, double rate, double level, double worse)
{
	struct changes c;

	changes_init(&c, before + after > 2);
	for (size_t i = 0; i < before + after; i++) {
		/* With several runs, each is of its own speed. */
		double own = before + after > 2 ? 0.2 * normal() : 0;

		add_run(&c, i < before ? CHANGE_BEFORE : CHANGE_AFTER, i < before ? 1 : rate,
			own + (i < before ? 0 : worse));
	}
	changes_judge(&c, level);
	size_t count = changes_count(&c);

	changes_fini(&c);
	return count > 0;
}

/* The largest number to accept of a share: four standard deviations above the mean. */
static double most_of(double level, unsigned int rounds)
{
	return level * rounds + 4 * sqrt(level * rounds);
}

static void check_same(size_t before, size_t after, double level, unsigned int rounds)
{
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < rounds; i++) {
		wrong += differs(before, after, 1, level, 0);
	}
	printf("%zu and %zu runs, level %g: %u of %u comparisons differ\n", before, after, level,
		wrong, rounds);
	assert_true(wrong <= most_of(level, rounds));
}

static void equal_runs_rarely_differ(void **unused)
{
	(void)unused;
	check_same(1, 1, 0.05, 300 * times);
	check_same(1, 1, 0.01, 300 * times);
	check_same(2, 2, 0.05, 100 * times);
	check_same(1, 4, 0.05, 100 * times);
	check_same(3, 5, 0.01, 100 * times);
}

/* The same for each kind of behaviour alone, so that no kind hides behind the others. */
static void equal_values_rarely_differ(void **unused)
{
	(void)unused;
	for (size_t kind = 0; kind < KINDS; kind++) {
		unsigned int rounds = 1000 * times;
		unsigned int wrong[3] = { 0 };
		static const double levels[] = { 0.05, 0.01, 0.001 };

		for (unsigned int i = 0; i < rounds; i++) {
			struct batches a = { 0 };
			struct batches b = { 0 };
			fill(&a, kind, any_count(kind), 0);
			fill(&b, kind, any_count(kind), 0);
			double p = significance_ranks(&a, &b).p;

			for (int n = 0; n < 3; n++) {
				wrong[n] += p < levels[n];
			}
			batches_fini(&a);
			batches_fini(&b);
		}
		printf("%s: %u, %u, %u of %u are below 0.05, 0.01, 0.001\n", kinds[kind].name,
			wrong[0], wrong[1], wrong[2], rounds);
		for (int n = 0; n < 3; n++) {
			/* Few values cannot say how far they are from independent: twice as many.
			 */
			assert_true(wrong[n] <= most_of(2 * levels[n], rounds));
		}
	}
}

/* ---- Real changes ---- */

/* Returns how often a kind of values is found to be longer by a part. */
static unsigned int found_of(size_t kind, size_t count, double more)
{
	unsigned int found = 0;

	for (int i = 0; i < 100; i++) {
		struct changes c;
		struct slices slices = { 0 };
		const struct change row = { .kind = CHANGE_LIFE, .name = "io" };

		changes_init(&c, false);
		fill_slices(&slices, 1);
		for (int side = 0; side < CHANGE_SIDES; side++) {
			struct batches batches = { 0 };

			changes_add_events(&c, side, &slices);
			fill(&batches, kind, count, side == CHANGE_AFTER ? more : 0);
			changes_add_durations(&c, side, &row, &batches);
			batches_fini(&batches);
		}
		changes_judge(&c, 0.01);
		changes_sort(&c, CHANGES_BY_CHANGE);
		found += c.all.items[0].is_significant && c.all.items[0].ratio > 1 &&
			 c.all.items[0].larger > 0.5;
		changes_fini(&c);
		slices_fini(&slices);
	}
	printf("%s, %zu values, longer by %g: %u of 100 found\n", kinds[kind].name, count, more,
		found);
	return found;
}

static void longer_values_are_found(void **unused)
{
	(void)unused;
	assert_true(found_of(0, 20, 3) > 80);
	assert_true(found_of(0, 500, 0.5) > 95);
	assert_true(found_of(0, 20000, 0.1) > 95);
	assert_true(found_of(2, 5000, 0.5) > 95);
	assert_true(found_of(3, 5000, 0.3) > 95);
}

static void other_rates_are_found(void **unused)
{
	unsigned int found = 0;

	(void)unused;
	for (int i = 0; i < 100; i++) {
		found += differs(1, 1, 1.6, 0.01, 0);
	}
	assert_true(found > 95);
}

static void several_slower_runs_are_found(void **unused)
{
	unsigned int found = 0;

	(void)unused;
	for (int i = 0; i < 50; i++) {
		found += differs(5, 5, 1, 0.01, 1.5);
	}
	assert_true(found > 45);
}

/* The interval encloses the true ratio of the medians in 95 of 100 comparisons. */
static void intervals_enclose_the_ratio(void **unused)
{
	unsigned int outside = 0;

	(void)unused;
	for (int i = 0; i < 400; i++) {
		struct changes c;
		struct slices slices = { 0 };
		const struct change row = { .kind = CHANGE_LIFE, .name = "io" };

		changes_init(&c, false);
		fill_slices(&slices, 1);
		for (int side = 0; side < CHANGE_SIDES; side++) {
			struct batches batches = { 0 };

			changes_add_events(&c, side, &slices);
			fill(&batches, 0, 50 + (size_t)(uniform() * 2000),
				side == CHANGE_AFTER ? log(2) : 0);
			changes_add_durations(&c, side, &row, &batches);
			batches_fini(&batches);
		}
		changes_judge(&c, 0.01);
		changes_sort(&c, CHANGES_BY_CHANGE);
		outside += c.all.items[0].low > 2 || c.all.items[0].high < 2;
		changes_fini(&c);
		slices_fini(&slices);
	}
	printf("%u of 400 intervals do not enclose the ratio\n", outside);
	assert_true(outside <= most_of(0.05, 400));
}

/* ---- Parts ---- */

static void batches_keep_all_values(void **unused)
{
	(void)unused;
	for (size_t count = 0; count < 5000; count = 2 * count + 1) {
		struct batches b = { 0 };
		struct distribution all = { 0 };

		for (size_t i = 0; i < count; i++) {
			batches_add(&b, i % 60);
		}
		batches_sum(&b, &all);
		assert_int_equal(all.count, count);
		assert_int_equal(b.count, count < 32 ? count : (count + b.size - 1) / b.size);
		assert_true(count < 32 || b.count > 16);
		for (size_t i = 0; i + 1 < b.count; i++) {
			assert_int_equal(b.items[i].count, b.size);
		}
		distribution_fini(&all);
		batches_fini(&b);
	}
}

static void slices_keep_all_events(void **unused)
{
	struct slices s = { 0 };
	uint64_t sum = 0;
	struct record rec = { .ns = 12345, .class = &classes[2] };

	(void)unused;
	for (int i = 0; i < 100000; i++) {
		rec.ns += (uint64_t)(uniform() * 100000);
		slices_see(&s, rec.ns);
		slices_add(&s, &rec);
	}
	for (size_t i = 0; i < SLICES_MAX; i++) {
		sum += s.classes.items[2].counts[i];
		assert_true(i < slices_count(&s) || s.classes.items[2].counts[i] == 0);
	}
	assert_int_equal(sum, 100000);
	assert_int_equal(s.events, 100000);
	assert_in_range(slices_count(&s), 16, SLICES_MAX);
	assert_int_equal(s.first_ns + ((uint64_t)slices_count(&s) << s.shift) > s.last_ns, 1);
	slices_fini(&s);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches_keep_all_values),
		cmocka_unit_test(slices_keep_all_events),
		cmocka_unit_test(equal_values_rarely_differ),
		cmocka_unit_test(equal_runs_rarely_differ),
		cmocka_unit_test(longer_values_are_found),
		cmocka_unit_test(other_rates_are_found),
		cmocka_unit_test(several_slower_runs_are_found),
		cmocka_unit_test(intervals_enclose_the_ratio),
	};

	times = argc > 1 ? (unsigned int)atoi(argv[1]) : 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
