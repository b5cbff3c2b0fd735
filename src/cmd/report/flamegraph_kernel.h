/* SPDX-License-Identifier: MIT */
/* The kernel's capture of `waymark flamegraph`: opened, judged, and what is told of it. */
#ifndef CMD_REPORT_FLAMEGRAPH_KERNEL_H
#define CMD_REPORT_FLAMEGRAPH_KERNEL_H

#include <stdbool.h>

#include "analyse/kernel.h"
#include "cmd/session.h"

struct flamegraph_kernel {
	struct session *session;
	const char *path;
	int64_t offset_ns;
	bool has_offset; /* the user says how the clocks differ */
	struct kernel kernel;
};

/* Reads `[-+]SECONDS[.FRACTION]`; false: it is none. */
bool flamegraph_kernel_offset(struct flamegraph_kernel *k, const char *text);

/* False on failure, which was reported; nothing is open then. */
bool flamegraph_kernel_open(struct flamegraph_kernel *k, struct stacks *stacks);

/* Ends the reading and says what is to be said; false: the picture would be wrong. */
bool flamegraph_kernel_check(struct flamegraph_kernel *k);

#endif
