/* SPDX-License-Identifier: MIT */
/* LTTng-UST: lttng.py makes the session, which determines files and memory. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "harness.h"
#include "recorder.h"

void recorder_open(const char *path, const char *options)
{
	(void)path;
	(void)options;
	if (!lttng_ust_tracepoint_enabled(bench, two_u64)) {
		bench_skip("lttng: no session has switched the events on");
	}
}

void recorder_settle(void)
{
}

/* Losses are unknown here: `lttng stop` reports them. */
uint64_t recorder_close(void)
{
	return 0;
}
