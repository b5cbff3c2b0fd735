/* SPDX-License-Identifier: MIT */
/* Numbers of the fields of Perfetto's traces that we write. A trace is a row of packets. */
#ifndef FORMAT_PERFETTO_H
#define FORMAT_PERFETTO_H

/* ---- A trace ---- */

enum { PERFETTO_PACKET = 1 };

enum perfetto_packet {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10, /* the writer whose interned names the packet uses */
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60,
	PACKET_IS_FIRST = 87,
};

enum perfetto_sequence_flags {
	SEQUENCE_NAMES_CLEARED = 1, /* earlier interned names of the sequence are forgotten */
	SEQUENCE_NEEDS_NAMES = 2,
};

enum perfetto_defaults { DEFAULTS_CLOCK = 58 };

/* ---- Clocks ---- */

enum perfetto_snapshot { SNAPSHOT_CLOCK = 1, SNAPSHOT_PRIMARY = 2 };
enum perfetto_clock { CLOCK_ID = 1, CLOCK_TIME = 2 };
enum perfetto_clock_id { CLOCK_ID_REALTIME = 1, CLOCK_ID_MONOTONIC = 3 };

/* ---- Names ---- */

enum perfetto_interned { INTERNED_CATEGORY = 1, INTERNED_EVENT = 2, INTERNED_ARGUMENT = 3 };
enum perfetto_name { NAME_ID = 1, NAME_TEXT = 2 };

/* ---- Tracks ---- */

enum perfetto_track {
	TRACK_ID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
};

enum perfetto_process { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum perfetto_thread { THREAD_PID = 1, THREAD_TID = 2 };
enum perfetto_counter { COUNTER_UNIT = 3, COUNTER_UNIT_NAME = 6 };
enum perfetto_unit { UNIT_TIME_NS = 1, UNIT_COUNT = 2, UNIT_SIZE_BYTES = 3 };

/* ---- Events ---- */

enum perfetto_event {
	EVENT_CATEGORY_ID = 3,
	EVENT_ARGUMENT = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_ID = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_COUNTER = 30,
	EVENT_COUNTER_DOUBLE = 44,
	EVENT_FLOW = 47,
	EVENT_LAST_FLOW = 48,
};

enum perfetto_event_type {
	EVENT_TYPE_BEGIN = 1,
	EVENT_TYPE_END = 2,
	EVENT_TYPE_INSTANT = 3,
	EVENT_TYPE_COUNTER = 4,
};

enum perfetto_argument {
	ARGUMENT_NAME_ID = 1,
	ARGUMENT_BOOL = 2,
	ARGUMENT_UNSIGNED = 3,
	ARGUMENT_SIGNED = 4,
	ARGUMENT_DOUBLE = 5,
	ARGUMENT_TEXT = 6,
	ARGUMENT_POINTER = 7,
	ARGUMENT_NAME = 10,
};

#endif
