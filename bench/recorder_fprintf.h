/* SPDX-License-Identifier: MIT */
/* A line of text into a file, with the cycle counter as its time: see recorder.h. */
#include <inttypes.h>
#include <stdio.h>

#include "harness.h"

extern FILE *recorder_file;

#define record_two_u64(a, b)                                                              \
	(void)fprintf(recorder_file, "%" PRIu64 " two_u64 a %" PRIu64 " b %" PRIu64 "\n", \
		bench_ticks(), (uint64_t)(a), (uint64_t)(b))
#define record_u64_str(a, s)                                                                    \
	(void)fprintf(recorder_file, "%" PRIu64 " u64_str a %" PRIu64 " s %s\n", bench_ticks(), \
		(uint64_t)(a), s)
