/* SPDX-License-Identifier: MIT */
/*
 * Records nested scopes, the input for measuring the analyser's commands.
 *
 * scopes path=FILE options=TEXT threads=N scopes=N-OF-EACH-THREAD
 */
#include <stdlib.h>

#include "harness.h"
#include "recorder.h"

#define THREADS_MAX 16

static void innermost(uint64_t i)
{
	TRACE_TOML_INNER_SCOPE(i);
}

/* Three scopes. */
static void inner(uint64_t i)
{
	TRACE_TOML_SCOPE_SCOPE(i, i * 3);
	innermost(i);
	innermost(i + 1);
}

/* Ten scopes, at most three deep. */
static void ten(uint64_t i)
{
	TRACE_TOML_INNER_SCOPE(i);
	for (uint64_t n = 0; n < 3; n++) {
		inner(i + n);
	}
}

static void run(void *scopes)
{
	for (uint64_t i = 0; i < *(uint64_t *)scopes; i += 10) {
		ten(i);
	}
}

int main(int argc, char **argv)
{
	uint64_t scopes[THREADS_MAX];
	unsigned int threads;

	bench_init(argc, argv);
	threads = (unsigned int)bench_number("threads", 2);
	for (unsigned int i = 0; i < THREADS_MAX; i++) {
		scopes[i] = bench_number("scopes", 1000000);
	}
	if (threads > THREADS_MAX || scopes[0] % 10 != 0) {
		bench_fail("at most %d threads, scopes by tens", THREADS_MAX);
	}
	recorder_open(bench_text("path", "bench.trace"), bench_text("options", ""));
	bench_threads(threads, run, scopes, sizeof(scopes[0]));
	bench_result("scopes", (double)(scopes[0] * threads));
	bench_result("lost", (double)recorder_close());
	return EXIT_SUCCESS;
}
