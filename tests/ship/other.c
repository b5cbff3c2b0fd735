/* SPDX-License-Identifier: MIT */
/* Records some events, whose names and fields are like those of others: other STEPS. */
#include <stdlib.h>

#include <waymark/control.h>

#include "trace-other.h"

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 0;

	for (int i = 0; i < steps; i++) {
		trace_step(i % 2 ? "odd" : "it's \\ even", -i, 7);
		trace_time((uint64_t)i, NULL);
		trace_login(4711, "user", "password");
	}
	return EXIT_SUCCESS;
}
