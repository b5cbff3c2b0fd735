/* SPDX-License-Identifier: MIT */
/*
 * What tracers outside of the process attach to: USDT probes, and functions for uprobes. Nothing is
 * recorded without a tracer; see recorder.h.
 */
#include <stdint.h>
#include <sys/sdt.h>

#define record_two_u64(a, b) STAP_PROBE2(bench, two_u64, a, b)
#define record_u64_str(a, s) STAP_PROBE2(bench, u64_str, a, s)

/* They do nothing, and are called nevertheless. */
void function_two_u64(uint64_t a, uint64_t b);
void function_u64_str(uint64_t a, const char *s);

#define RECORDER_KINDS(LOOP)                               \
	LOOP(function_two_u64, function_two_u64(i, i * 3)) \
	LOOP(function_u64_str, function_u64_str(i, TEXT16))
