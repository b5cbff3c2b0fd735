/* SPDX-License-Identifier: MIT */
/*
 * Records events at full speed, many more than the buffer holds, until all are in the file.
 * Measures the cost in the recording threads, the time until the last event is written, and the
 * CPU time of all threads. The floor is measured first, with the same number of steps.
 *
 * disk path=FILE options=TEXT event=NAME threads=N events=N-OF-EACH-THREAD
 */
#include <unistd.h>

#include "loops.h"

#define FLOOR_SLOTS 32768

struct lane {
	loop *measured;
	struct area area;
	uint64_t events;
	double ns;
	double cpu;
};

static void run(void *context)
{
	struct lane *l = context;
	double cpu = bench_thread_cpu();
	double begin = bench_now();

	l->measured(l->area, l->events);
	l->ns = (bench_now() - begin) / (double)l->events;
	l->cpu = bench_thread_cpu() - cpu;
}

/* Runs all lanes once; returns the mean ns of a step. */
static double run_all(struct lane *lanes, unsigned int threads, loop *measured)
{
	double sum = 0;

	for (unsigned int i = 0; i < threads; i++) {
		lanes[i].measured = measured;
	}
	bench_threads(threads, run, lanes, sizeof(lanes[0]));
	for (unsigned int i = 0; i < threads; i++) {
		sum += lanes[i].ns;
	}
	return sum / threads;
}

/* CPU time of all recording threads plus `waiting`, that of this thread, which waits for them. */
static double recording_cpu(const struct lane *lanes, unsigned int threads, double waiting)
{
	for (unsigned int i = 0; i < threads; i++) {
		waiting += lanes[i].cpu;
	}
	return waiting;
}

static void measure(struct lane *lanes, unsigned int threads, loop *measured)
{
	double total = (double)(lanes[0].events * threads);
	double floor_ns = run_all(lanes, threads, loop_floor);
	double cpu = bench_process_cpu(), own = bench_thread_cpu();
	double begin = bench_now();

	recorder_open(bench_text("path", "bench.trace"), bench_text("options", ""));
	double event_ns = run_all(lanes, threads, measured);

	recorder_settle();
	double wall = bench_now() - begin;

	cpu = bench_process_cpu() - cpu;
	double recording = recording_cpu(lanes, threads, bench_thread_cpu() - own);

	bench_result("floor_ns", floor_ns);
	bench_result("event_ns", event_ns);
	bench_result("ratio", event_ns / floor_ns);
	bench_result("million_per_s", total / wall * 1e3);
	bench_result("wall_ns", wall / total);
	bench_result("cpu_ns", cpu / total);
	bench_result("writer_ns", (cpu - recording) / total);
	bench_result("lost", (double)recorder_close());
	bench_result("events", total);
	begin = bench_now();
	sync();
	bench_result("sync_s", (bench_now() - begin) / 1e9);
}

int main(int argc, char **argv)
{
	bench_init(argc, argv);

	struct lane lanes[64] = { 0 };
	unsigned int threads = (unsigned int)bench_number("threads", 1);
	loop *measured = loop_find(bench_text("event", "two_u64"));

	for (unsigned int i = 0; i < threads && i < 64; i++) {
		lanes[i].events = bench_number("events", 1000000);
		lanes[i].area = area_create(FLOOR_SLOTS);
	}
	measure(lanes, threads, measured);
	return EXIT_SUCCESS;
}
