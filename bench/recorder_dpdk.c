/* SPDX-License-Identifier: MIT */
/*
 * DPDK's rte_trace: see recorder.h. Each thread has a ring in memory, which is not written out
 * during recording: at the end the rings become a trace in `path`, whose events dpdk.py counts.
 * `options` is the ring's size (DPDK's default: 1M).
 *
 * The environment layer runs without huge pages, devices and shared files.
 */
#include <rte_trace_point_register.h>

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_trace.h>

#include "harness.h"
#include "recorder.h"

RTE_TRACE_POINT_REGISTER(bench_two_u64, bench.two_u64)
RTE_TRACE_POINT_REGISTER(bench_u64_str, bench.u64_str)

#define WORDS(a) ((int)(sizeof(a) / sizeof((a)[0])))

/*
 * Starts DPDK. rte_eal_init() pins the calling thread to one processor: the affinity is restored,
 * because benchmarks pin their threads themselves. mlockall() touches the rings' pages, so that no
 * event pays for a page fault, as with huge pages.
 */
static int start(int count, char **words)
{
	cpu_set_t before;

	sched_getaffinity(0, sizeof(before), &before);
	int result = rte_eal_init(count, words);

	sched_setaffinity(0, sizeof(before), &before);
	if (mlockall(MCL_CURRENT) == 0) {
		munlockall();
	}
	return result;
}

void recorder_open(const char *path, const char *options)
{
	char program[] = "bench", events[] = "--trace=bench.*", mode[] = "--trace-mode=overwrite";
	char pages[] = "--no-huge", devices[] = "--no-pci", files[] = "--no-shconf";
	char telemetry[] = "--no-telemetry", memory[] = "-m64", quiet[] = "--log-level=error";
	char size[64], place[1024];
	char *words[] = { program, events, mode, pages, devices, files, telemetry, memory, quiet,
		size, place };

	snprintf(size, sizeof(size), "--trace-bufsz=%s", *options ? options : "1M");
	snprintf(place, sizeof(place), "--trace-dir=%s", path);
	if (mkdir(path, 0700) && errno != EEXIST) {
		bench_fail("%s: %s", path, strerror(errno));
	}
	if (start(WORDS(words), words) < 0) {
		bench_skip(
			"dpdk: its environment layer does not start: %s", rte_strerror(rte_errno));
	}
	if (!rte_trace_is_enabled()) {
		bench_skip("dpdk: the events are not on");
	}
}

/* DPDK writes nothing out before its end. */
void recorder_settle(void)
{
}

/* Losses are unknown here: dpdk.py counts the trace's events. */
uint64_t recorder_close(void)
{
	if (rte_trace_save()) {
		bench_fail("dpdk: no trace was written");
	}
	return 0;
}
