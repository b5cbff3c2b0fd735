/* SPDX-License-Identifier: MIT */
/*
 * Records the number of events that its arguments say, for large.py to print and filter.
 *
 * large path=FILE options=TEXT threads=N requests=N-OF-EACH-THREAD
 *
 * A request: large_begin, a scope, large_step (in every eighth request), large_end; large_rare is
 * in one of RARE requests. Prints the number of each kind.
 */
#include <stdio.h>
#include <stdlib.h>

#include <waymark/control.h>

#include "harness.h"
#include "trace-long.h"

#define THREADS_MAX 16u
#define RARE 1000000u
#define STEPS 8u

struct lane {
	uint64_t first; /* number of the first request */
	uint64_t requests;
};

static void request(uint64_t id)
{
	trace_large_begin(id, (uint32_t)(id % 4));
	TRACE_LARGE_WORK_SCOPE(id);
	if (id % STEPS == 0) {
		trace_large_step("half of it is done", id);
	}
	if (id % RARE == 0) {
		trace_large_rare(id);
	}
}

static void run(void *lane)
{
	const struct lane *l = lane;

	for (uint64_t id = l->first; id < l->first + l->requests; id++) {
		request(id);
		trace_large_end(id, (int)(id % 3));
	}
}

static uint64_t multiples(uint64_t below, uint64_t of)
{
	return (below + of - 1) / of;
}

int main(int argc, char **argv)
{
	struct lane lanes[THREADS_MAX];
	struct waymark_error error;
	struct waymark_stats stats;
	char text[1024];

	bench_init(argc, argv);
	uint64_t requests = bench_number("requests", 1000000);
	unsigned int threads = (unsigned int)bench_number("threads", 2);

	if (threads < 1 || threads > THREADS_MAX) {
		bench_fail("threads=1 to %u", THREADS_MAX);
	}
	for (unsigned int i = 0; i < threads; i++) {
		lanes[i] = (struct lane){ i * requests, requests };
	}
	snprintf(text, sizeof(text), "large_*,file=%s,%s", bench_text("path", "large.ctf"),
		bench_text("options", "buffer=64M,full=block"));
	if (waymark_configure(text, &error)) {
		bench_fail("-trace %s: %s", text, error.text);
	}
	bench_threads(threads, run, lanes, sizeof(lanes[0]));
	if (waymark_flush(&error)) {
		bench_fail("not everything was written: %s", error.text);
	}
	waymark_get_stats(&stats);
	bench_result("lost", (double)(stats.lost + stats.unwritten));
	bench_result("requests", (double)(requests * threads));
	bench_result("steps", (double)multiples(requests * threads, STEPS));
	bench_result("rare", (double)multiples(requests * threads, RARE));
	return EXIT_SUCCESS;
}
