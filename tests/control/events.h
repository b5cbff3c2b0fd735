/* SPDX-License-Identifier: MIT */
/*
 * Events in the shape of generated code, without tracetool, so that the
 * runtime's tests depend only on the runtime and can declare events that no
 * declaration file can.
 *
 *	EVENT(name, backends, line)	one argument, `int value`; text "value=%d"
 *
 * then once, after them, EVENT_LIST(&waymark_event_a, &waymark_event_b).
 */
#ifndef TESTS_CONTROL_EVENTS_H
#define TESTS_CONTROL_EVENTS_H

#include <waymark/record.h>

static const struct waymark_arg test_args[] = { { WAYMARK_SIGNED, 4, 0 } };

static inline void test_record(
	enum waymark_recorder recorder, const struct waymark_event *event, int value)
{
	struct waymark_record r;

	if (waymark_record_begin(&r, recorder, event, 2 * sizeof(value))) {
		waymark_record_value(&r, &value, sizeof(value));
		waymark_record_end(&r);
	}
}

#define EVENT(name_, backends_, line_)                                                       \
	static uint32_t waymark_state_##name_ WAYMARK_STATE_SECTION = 0;                     \
	static struct waymark_event waymark_event_##name_ = {                                \
		.state = &waymark_state_##name_,                                             \
		.name = #name_ "\0\"value=%d\"\0value\0int\0",                               \
		.file = "tests/trace-events",                                                \
		.args = test_args,                                                           \
		.line = (line_),                                                             \
		.backends = (backends_),                                                     \
		.arg_count = 1,                                                              \
	};                                                                                   \
	WAYMARK_COLD static void waymark_emit_##name_(int value)                             \
	{                                                                                    \
		unsigned int on = WAYMARK_BACKENDS(waymark_state_##name_);                   \
                                                                                             \
		if (on & WAYMARK_LOG) {                                                      \
			waymark_log(&waymark_event_##name_, " value=%d", value);             \
		}                                                                            \
		if (on & WAYMARK_SIMPLE) {                                                   \
			test_record(WAYMARK_RECORDER_SIMPLE, &waymark_event_##name_, value); \
		}                                                                            \
		if (on & WAYMARK_CTF) {                                                      \
			test_record(WAYMARK_RECORDER_CTF, &waymark_event_##name_, value);    \
		}                                                                            \
	}                                                                                    \
	static inline void trace_##name_(int value)                                          \
	{                                                                                    \
		if (WAYMARK_UNLIKELY(WAYMARK_STATE(waymark_state_##name_))) {                \
			waymark_emit_##name_(value);                                         \
		}                                                                            \
	}

#define EVENT_LIST(...)                                                                   \
	static struct waymark_event *const waymark_event_list[] WAYMARK_EVENT_SECTION = { \
		__VA_ARGS__                                                               \
	};                                                                                \
	WAYMARK_REGISTER_OBJECT()

#endif
