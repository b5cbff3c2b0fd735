/* SPDX-License-Identifier: MIT */
/* Waymark with the backend that TRACE_HEADER was generated for: see recorder.h. */
#include TRACE_HEADER

#define record_two_u64(a, b) trace_two_u64(a, b)
#define record_u64_str(a, s) trace_u64_str(a, s)

/* The vCPU of all threads. */
struct CPUState {
	char own[64];
};
extern struct CPUState recorder_cpu;

#define RECORDER_KINDS(LOOP)                                                       \
	LOOP(hot_two_u64, trace_hot_two_u64(i, i * 3))                             \
	LOOP(vcpu_all, trace_vcpu_all(&recorder_cpu, i))                           \
	LOOP(vcpu_this, trace_vcpu_this(&recorder_cpu, i))                         \
	LOOP(vcpu_other, trace_vcpu_other(&recorder_cpu, i))                       \
	LOOP(toml_two_u64, trace_toml_two_u64(i, i * 3))                           \
	LOOP(toml_debug, trace_toml_debug(TEXT16, waymark_debug_u32((uint32_t)i))) \
	LOOP(toml_scope, TRACE_TOML_SCOPE_SCOPE(i, i * 3))
