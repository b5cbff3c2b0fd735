/* SPDX-License-Identifier: MIT */
/* Waymark: see recorder.h. `options` are those of -trace. */
#include <stdio.h>

#include <waymark/control.h>
#include <waymark/vcpu.h>

#include "harness.h"
#include "recorder.h"

struct CPUState recorder_cpu;
static struct CPUState other_cpu;

static int switch_vcpus(struct waymark_error *error)
{
	return waymark_vcpu_init(&recorder_cpu, 0, error) ||
	       waymark_vcpu_init(&other_cpu, 1, error) ||
	       waymark_vcpu_set_states(0, "vcpu_this", true, error) ||
	       waymark_vcpu_set_states(1, "vcpu_other", true, error);
}

void recorder_open(const char *path, const char *options)
{
	struct waymark_error error;
	char text[1024];

	snprintf(text, sizeof(text),
		"two_u64,enable=u64_str,enable=vcpu_all,enable=toml_*,file=%s%s%s", path,
		*options ? "," : "", options);
	if (waymark_configure(text, &error) || switch_vcpus(&error)) {
		bench_fail("-trace %s: %s", text, error.text);
	}
}

void recorder_settle(void)
{
	struct waymark_error error;

	if (waymark_flush(&error)) {
		bench_fail("not everything was written: %s", error.text);
	}
}

uint64_t recorder_close(void)
{
	struct waymark_stats stats;

	recorder_settle();
	waymark_disable("*", WAYMARK_ANY_BACKEND, NULL, NULL);
	waymark_get_stats(&stats);
	return stats.lost + stats.unwritten;
}
