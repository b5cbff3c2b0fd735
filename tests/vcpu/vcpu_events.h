/* SPDX-License-Identifier: MIT */
/*
 * Events of vCPUs in the shape of generated code, without tracetool. Instead of
 * recording they count: `fired_NAME[index]` of the struct cpu that fired.
 *
 *	VCPU_EVENT(name, flags, line)	then VCPU_EVENT_LIST(&waymark_event_name, ...)
 */
#ifndef TESTS_VCPU_VCPU_EVENTS_H
#define TESTS_VCPU_VCPU_EVENTS_H

#include <waymark/record.h>
#include <waymark/vcpu.h>

#define CPUS_MAX 16

/* A host's state of a vCPU; the runtime uses only its address. */
struct cpu {
	unsigned int number;
};

#define BUILT_WITH (WAYMARK_CTF | WAYMARK_LOG)

#define VCPU_EVENT(name_, flags_, line_)                                                      \
	static uint32_t waymark_state_##name_ WAYMARK_STATE_SECTION = 0;                      \
	static struct waymark_event waymark_event_##name_ = {                                 \
		.state = &waymark_state_##name_,                                              \
		.name = #name_ "\0\0",                                                        \
		.file = "tests/trace-events",                                                 \
		.line = (line_),                                                              \
		.backends = BUILT_WITH,                                                       \
		.flags = (flags_),                                                            \
	};                                                                                    \
	static unsigned long fired_##name_[CPUS_MAX];                                         \
	WAYMARK_COLD static void waymark_emit_##name_(const struct cpu *cpu)                  \
	{                                                                                     \
		if (waymark_vcpu_backends(&waymark_event_##name_, cpu)) {                     \
			__atomic_fetch_add(&fired_##name_[cpu->number], 1, __ATOMIC_RELAXED); \
		}                                                                             \
	}                                                                                     \
	static inline void trace_##name_(const struct cpu *cpu)                               \
	{                                                                                     \
		if (WAYMARK_UNLIKELY(WAYMARK_STATE(waymark_state_##name_))) {                 \
			waymark_emit_##name_(cpu);                                            \
		}                                                                             \
	}

#define VCPU_EVENT_LIST(...)                                                              \
	static struct waymark_event *const waymark_event_list[] WAYMARK_EVENT_SECTION = { \
		__VA_ARGS__                                                               \
	};                                                                                \
	WAYMARK_REGISTER_OBJECT()

#endif
