/* SPDX-License-Identifier: MIT */
/*
 * Measures the distribution of the cost of single events. Each thread records at a steady pace and
 * reads the clock around every event. It does the same around an empty step, whose median is
 * subtracted, and around the floor, which equally suffers from time that a virtual machine or
 * another process steals.
 *
 * latency path=FILE options=TEXT event=NAME threads=N events=N pace=EVENTS-PER-SECOND
 */
#include <stdio.h>

#include "kinds.h"

#define WARM_UP 20000

struct lane {
	void (*measured)(struct lane *l);
	uint32_t *ticks; /* ticks of each event */
	uint64_t events;
	double interval; /* ticks between two events */
	struct area area;
};

#define LOOP(name, step)                                                               \
	NOINLINE static void loop_##name(struct lane *l)                               \
	{                                                                              \
		struct area area = l->area;                                            \
		uint64_t start = bench_ticks();                                        \
                                                                                       \
		(void)area;                                                            \
		for (uint64_t i = 0; i < l->events; i++) {                             \
			uint64_t due = start + (uint64_t)((double)i * l->interval);    \
			uint64_t begin = bench_ticks();                                \
                                                                                       \
			while ((int64_t)(begin - due) < 0) {                           \
				begin = bench_ticks();                                 \
			}                                                              \
			step;                                                          \
			__asm__ volatile("" ::: "memory");                             \
			uint64_t took = bench_ticks() - begin;                         \
                                                                                       \
			l->ticks[i] = took > UINT32_MAX ? UINT32_MAX : (uint32_t)took; \
		}                                                                      \
	}

KINDS(LOOP)

static void run(void *context)
{
	struct lane *l = context;

	l->measured(l);
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static const struct {
	const char *name;
	double part;
} percentiles[] = {
	{ "p50", 0.5 },
	{ "p99", 0.99 },
	{ "p99.9", 0.999 },
	{ "p99.99", 0.9999 },
	{ "max", 1 },
};

/* Ticks of an empty step, to be subtracted, and the divisors that convert ticks to units. */
struct scale {
	double empty;
	double step;
	double per_ns;
};

static void print(const char *kind, const char *percentile, double ticks, const struct scale *s)
{
	char name[64];

	ticks = ticks > s->empty ? ticks - s->empty : 0;
	snprintf(name, sizeof(name), "%s_%s_ns", kind, percentile);
	bench_result(name, ticks / s->per_ns);
	snprintf(name, sizeof(name), "%s_%s_steps", kind, percentile);
	bench_result(name, ticks / s->step);
}

/* Prints the results of all lanes' events; the lanes' ticks are adjacent in memory. */
static void report(const char *kind, struct lane *lanes, uint64_t count, struct scale *s)
{
	uint32_t *ticks = lanes[0].ticks;

	qsort(ticks, count, sizeof(*ticks), ascending);
	if (strcmp(kind, "empty") == 0) {
		s->empty = ticks[count / 2];
		bench_result("subtracted_ns", s->empty / s->per_ns);
	}
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++) {
		uint64_t at = (uint64_t)(percentiles[i].part * (double)count);

		print(kind, percentiles[i].name, ticks[at < count ? at : count - 1], s);
	}
}

static void measure(struct lane *lanes, unsigned int threads, void (*loop)(struct lane *l))
{
	uint64_t events = lanes[0].events;

	/* One round without counting opens the files and begins the first packet. */
	for (unsigned int i = 0; i < threads; i++) {
		lanes[i].measured = loop;
		lanes[i].events = events < WARM_UP ? events : WARM_UP;
	}
	bench_threads(threads, run, lanes, sizeof(lanes[0]));
	for (unsigned int i = 0; i < threads; i++) {
		lanes[i].events = events;
	}
	bench_threads(threads, run, lanes, sizeof(lanes[0]));
}

int main(int argc, char **argv)
{
	bench_init(argc, argv);

	struct lane lanes[64] = { 0 };
	struct scale scale = { .step = (double)bench_clock_step(), .per_ns = bench_ticks_per_ns() };
	unsigned int threads = (unsigned int)bench_number("threads", 1);
	uint64_t events = bench_number("events", 1000000);
	const char *event = bench_text("event", "two_u64");
	uint32_t *ticks = calloc(threads * events, sizeof(*ticks));

	for (unsigned int i = 0; i < threads && i < 64; i++) {
		lanes[i].events = events;
		lanes[i].ticks = ticks + i * events;
		lanes[i].interval = scale.per_ns * 1e9 / (double)bench_number("pace", 5000000);
		lanes[i].area = area_create(4096);
	}
	bench_result("step_ns", scale.step / scale.per_ns);
	measure(lanes, threads, loop_empty);
	report("empty", lanes, threads * events, &scale);
	measure(lanes, threads, loop_floor);
	report("floor", lanes, threads * events, &scale);
	recorder_open(bench_text("path", "bench.trace"), bench_text("options", ""));
	measure(lanes, threads, strcmp(event, "u64_str") == 0 ? loop_u64_str : loop_two_u64);
	report("event", lanes, threads * events, &scale);
	bench_result("lost", (double)recorder_close());
	free(ticks);
	return EXIT_SUCCESS;
}
