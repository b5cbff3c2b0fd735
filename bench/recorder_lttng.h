/* SPDX-License-Identifier: MIT */
/* LTTng-UST's tracepoints with the same two events: see recorder.h. */
#include "lttng_events.h"

#define record_two_u64(a, b) lttng_ust_tracepoint(bench, two_u64, a, b)
#define record_u64_str(a, s) lttng_ust_tracepoint(bench, u64_str, a, s)
