/* SPDX-License-Identifier: MIT */
/*
 * Measures the cost of an event in the recording thread: bursts that fit into the buffer. In the
 * unmeasured pauses between them the writer thread writes them out. Before each burst the floor is
 * measured, on the same amount of memory.
 *
 * memory path=FILE options=TEXT event=NAME threads=N burst=EVENTS bursts=N
 */
#include "loops.h"

struct lane {
	loop *measured;
	struct area area;
	uint64_t burst;
	uint64_t bursts;
	double floor_ns;
	double event_ns;
};

/* Bursts of this size never fill the buffer. */
#define BURST_SHORT 10000u

static double timed(struct lane *l, loop *measured)
{
	double begin = bench_now();

	measured(l->area, l->burst);
	return (bench_now() - begin) / (double)l->burst;
}

static void run(void *context)
{
	struct lane *l = context;
	double *floors = calloc(l->bursts, sizeof(*floors));
	double *events = calloc(l->bursts, sizeof(*events));

	l->measured(l->area, l->burst);
	for (uint64_t i = 0; i < l->bursts; i++) {
		if (l->burst > BURST_SHORT) {
			recorder_settle();
		} else {
			recorder_rest();
		}
		floors[i] = timed(l, loop_floor);
		events[i] = timed(l, l->measured);
	}
	l->floor_ns = bench_median(floors, l->bursts);
	l->event_ns = bench_median(events, l->bursts);
	free(floors);
	free(events);
}

int main(int argc, char **argv)
{
	bench_init(argc, argv);

	struct lane lanes[64] = { 0 };
	unsigned int threads = (unsigned int)bench_number("threads", 1);
	loop *measured = loop_find(bench_text("event", "two_u64"));

	recorder_open(bench_text("path", "bench.trace"), bench_text("options", ""));
	for (unsigned int i = 0; i < threads && i < 64; i++) {
		lanes[i].measured = measured;
		lanes[i].burst = bench_number("burst", 2000);
		lanes[i].bursts = bench_number("bursts", 100);
		lanes[i].area = area_create(lanes[i].burst);
	}
	bench_threads(threads, run, lanes, sizeof(lanes[0]));
	double floor_ns = 0, event_ns = 0;

	for (unsigned int i = 0; i < threads; i++) {
		floor_ns += lanes[i].floor_ns / threads;
		event_ns += lanes[i].event_ns / threads;
		area_destroy(lanes[i].area);
	}
	bench_result("floor_ns", floor_ns);
	bench_result("event_ns", event_ns);
	bench_result("ratio", event_ns / floor_ns);
	bench_result("lost", (double)recorder_close());
	bench_result("events", (double)(threads * lanes[0].burst * (lanes[0].bursts + 1)));
	return EXIT_SUCCESS;
}
