/* SPDX-License-Identifier: MIT */
/* Waymark with the backend that TRACE_HEADER was generated for: see recorder.h. */
#include TRACE_HEADER

#define record_two_u64(a, b) trace_two_u64(a, b)
#define record_u64_str(a, s) trace_u64_str(a, s)
