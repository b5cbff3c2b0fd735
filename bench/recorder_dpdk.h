/* SPDX-License-Identifier: MIT */
/* DPDK's trace points with the same two events: see recorder.h. A string takes 32 bytes. */
#ifndef BENCH_RECORDER_DPDK_H
#define BENCH_RECORDER_DPDK_H

#include <rte_trace_point.h>

/* clang-format off */
RTE_TRACE_POINT(bench_two_u64, RTE_TRACE_POINT_ARGS(uint64_t a, uint64_t b),
	rte_trace_point_emit_u64(a);
	rte_trace_point_emit_u64(b);)

RTE_TRACE_POINT(bench_u64_str, RTE_TRACE_POINT_ARGS(uint64_t a, const char *s),
	rte_trace_point_emit_u64(a);
	rte_trace_point_emit_string(s);)
/* clang-format on */

#define record_two_u64(a, b) bench_two_u64(a, b)
#define record_u64_str(a, s) bench_u64_str(a, s)

#endif
