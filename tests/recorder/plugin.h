/* SPDX-License-Identifier: MIT */
/*
 * An event of the backend `simple` with one u64, as tracetool would write it, but with any name:
 * for programs that use the whole runtime.
 */
#ifndef TESTS_RECORDER_PLUGIN_H
#define TESTS_RECORDER_PLUGIN_H

#include <waymark/record.h>

#define EVENT(event) EVENT_NAMED(event)
#define EVENT_NAMED(event)                                                                  \
	uint32_t waymark_state_##event WAYMARK_HIDDEN WAYMARK_STATE_SECTION = 0;            \
	static const struct waymark_arg waymark_args_##event[] = {                          \
		{ WAYMARK_UNSIGNED, 8, 0 },                                                 \
	};                                                                                  \
	static struct waymark_event waymark_event_##event = {                               \
		.state = &waymark_state_##event,                                            \
		.name = #event "\0\"i=%\" PRIu64\0i\0uint64_t\0",                           \
		.file = "plugin",                                                           \
		.args = waymark_args_##event,                                               \
		.backends = WAYMARK_SIMPLE,                                                 \
		.arg_count = 1,                                                             \
	};                                                                                  \
	static struct waymark_event *const waymark_list_##event WAYMARK_EVENT_SECTION =     \
		&waymark_event_##event;                                                     \
	static void trace_##event(uint64_t i)                                               \
	{                                                                                   \
		struct waymark_record r;                                                    \
                                                                                            \
		if ((WAYMARK_BACKENDS(waymark_state_##event) & WAYMARK_SIMPLE) &&           \
			waymark_record_begin(                                               \
				&r, WAYMARK_RECORDER_SIMPLE, &waymark_event_##event, 16)) { \
			waymark_record_value(&r, &i, sizeof(i));                            \
			waymark_record_end(&r);                                             \
		}                                                                           \
	}

#endif
