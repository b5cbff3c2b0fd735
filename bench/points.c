/* SPDX-License-Identifier: MIT */
/*
 * Measures the cost of enabled trace points of waymark/scope.h, next to declared events with the
 * same arguments. points.sh counts the instructions of each site_X() and declared_X(). Without it,
 * the program prints their times as multiples of the floor, a read of the clock.
 *
 * points path=FILE count=N rounds=N
 */
#define WAYMARK_SCOPES ctf
#include <stdio.h>
#include <stdlib.h>

#include <waymark/control.h>
#include <waymark/scope.h>

#include "harness.h"
#include TRACE_HEADER

#define BENCH_CATEGORIES(C) C(Bench, true, "what is measured")
WAYMARK_CATEGORIES(BENCH_CATEGORIES);

struct pair {
	uint32_t a;
	uint64_t b;
};

static void render(struct waymark_formatter *f, const void *object)
{
	const struct pair *p = object;
	struct waymark_group g;

	waymark_debug_struct(&g, f, "Pair");
	waymark_debug_field(&g, "a", waymark_debug(p->a));
	waymark_debug_field(&g, "b", waymark_debug(p->b));
	waymark_debug_end(&g);
}

#define TEXT "sixteen letters."
#define OBJECT waymark_debug_object(render, &(struct pair){ a, b })

/* Name, trace point, declared event. */
#define CASES(C)                                                                              \
	C(words0, WAYMARK_SCOPE(Bench, "words0"), TRACE_WORDS0_SCOPE())                       \
	C(words1, WAYMARK_SCOPE(Bench, "words1", b), TRACE_WORDS1_SCOPE(b))                   \
	C(words2, WAYMARK_SCOPE(Bench, "words2", a, b), TRACE_WORDS2_SCOPE(a, b))             \
	C(words4, WAYMARK_SCOPE(Bench, "words4", a, b, a, b), TRACE_WORDS4_SCOPE(a, b, a, b)) \
	C(words8, WAYMARK_SCOPE(Bench, "words8", a, b, a, b, a, b, a, b),                     \
		TRACE_WORDS8_SCOPE(a, b, a, b, a, b, a, b))                                   \
	C(string, WAYMARK_SCOPE(Bench, "string", TEXT, a), TRACE_STRING_SCOPE(TEXT, a))       \
	C(object, WAYMARK_SCOPE(Bench, "object", OBJECT), TRACE_OBJECT_SCOPE(OBJECT))         \
	C(instant, WAYMARK_INSTANT(Bench, "instant", a), trace_instant(a))                    \
	C(counter, WAYMARK_COUNTER(Bench, "counter", b), trace_counter(b))                    \
	C(flow, struct waymark_scope s = WAYMARK_FLOW(Bench, "flow", a);                      \
		waymark_scope_end(&s), struct waymark_scope s = trace_flow_start(a);          \
		waymark_scope_end(&s))

typedef void step(uint32_t a, uint64_t b);

#define STEPS(name, site, declared)                                  \
	NOINLINE static void site_##name(uint32_t a, uint64_t b)     \
	{                                                            \
		(void)a;                                             \
		(void)b;                                             \
		site;                                                \
	}                                                            \
	NOINLINE static void declared_##name(uint32_t a, uint64_t b) \
	{                                                            \
		(void)a;                                             \
		(void)b;                                             \
		declared;                                            \
	}
CASES(STEPS)

NOINLINE static void floor_step(uint32_t a, uint64_t b)
{
	uint64_t stored[3] = { bench_ticks(), a, b };

	__asm__ volatile("" : : "r"(stored) : "memory");
}

static const struct {
	const char *name;
	step *site;
	step *declared;
} cases[] = {
#define ROW(name, site, declared) { #name, site_##name, declared_##name },
	CASES(ROW)
};

static uint64_t count;

static double timed(step *what)
{
	struct waymark_error error;

	if (waymark_flush(&error)) {
		bench_fail("not everything was written: %s", error.text);
	}
	double begin = bench_now();

	for (uint64_t i = 0; i < count; i++) {
		what((uint32_t)i, i * 3);
	}
	return (bench_now() - begin) / (double)count;
}

static void measure(const char *name, step *what, const char *form, uint64_t rounds)
{
	double *ratios = calloc(rounds, sizeof(*ratios));
	char text[64];

	timed(what);
	for (uint64_t i = 0; i < rounds; i++) {
		ratios[i] = 1 / timed(floor_step);
		ratios[i] *= timed(what);
	}
	snprintf(text, sizeof(text), "%s.%s", name, form);
	bench_result(text, bench_median(ratios, rounds));
	free(ratios);
}

int main(int argc, char **argv)
{
	struct waymark_error error;
	char text[1024];

	bench_init(argc, argv);
	snprintf(text, sizeof(text), "*,file=%s", bench_text("path", "bench.trace"));
	if (waymark_configure(text, &error)) {
		bench_fail("-trace %s: %s", text, error.text);
	}
	WAYMARK_INSTANT(Bench, "the thread's first event");
	count = bench_number("count", 2000);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		measure(cases[i].name, cases[i].site, "site", bench_number("rounds", 101));
		measure(cases[i].name, cases[i].declared, "declared", bench_number("rounds", 101));
	}
	return EXIT_SUCCESS;
}
