/* SPDX-License-Identifier: MIT */
/* The runtime's own events: see own.h. */
#include "base/compiler.h"
#include "format/own_events.h"
#include "rt/event/own.h"
#include "rt/event/registry.h"

/* The word of events that are not switched: never written. */
static uint32_t state;

static const struct waymark_arg left_out_args[] = {
	{ WAYMARK_UNSIGNED, sizeof(uint64_t), 0 },
	{ WAYMARK_STRING, 0, 0 },
	{ WAYMARK_STRING, 0, 0 },
};

struct waymark_event waymark_own_left_out = {
	.state = &state,
	.name = OWN_LEFT_OUT "\0"
			     "{} of {} by {}\0"
			     "count\0u64\0"
			     "event\0String\0"
			     "limits\0String\0",
	.file = "waymark",
	.args = left_out_args,
	.line = 1,
	.backends = WAYMARK_CTF,
	.arg_count = ARRAY_SIZE(left_out_args),
	.flags = WAYMARK_EVENT_BRACES, /* the name is no identifier of C */
};

static const struct waymark_arg text_args[] = {
	{ WAYMARK_STRING, 0, 0 },
	{ WAYMARK_STRING, 0, 0 },
};

struct waymark_event waymark_own_trigger = {
	.state = &state,
	.name = OWN_TRIGGER "\0"
			    "{}: {}\0"
			    "event\0String\0"
			    "trigger\0String\0",
	.file = "waymark",
	.args = text_args,
	.line = 2,
	.backends = WAYMARK_CTF,
	.arg_count = 2,
	.flags = WAYMARK_EVENT_BRACES,
};

struct waymark_event waymark_own_mark = {
	.state = &state,
	.name = OWN_MARK "\0"
			 "{}\0"
			 "text\0String\0",
	.file = "waymark",
	.args = text_args,
	.line = 3,
	.backends = WAYMARK_CTF,
	.arg_count = 1,
	.flags = WAYMARK_EVENT_BRACES,
};

/* The arguments and texts of an aggregate whose value has that kind and type. */
#define AGGREGATE_ARGUMENTS(kind)                                                               \
	{                                                                                       \
		{ WAYMARK_STRING, 0, 0 }, { WAYMARK_STRING, 0, 0 }, { WAYMARK_STRING, 0, 0 },   \
			{ WAYMARK_STRING, 0, 0 }, { WAYMARK_SIGNED, sizeof(int64_t), 0 },       \
			{ kind, 8, 0 }, { WAYMARK_UNSIGNED, 4, 0 }, { WAYMARK_UNSIGNED, 4, 0 }, \
	}
#define AGGREGATE_TEXTS(type)                                           \
	"{} {} {} [{}] {}: {} (map {}, snapshot {})\0"                  \
	"event\0String\0function\0String\0terms\0String\0key\0String\0" \
	"bucket\0i64\0value\0" type "\0map\0u32\0snapshot\0u32\0"

static const struct waymark_arg aggregate_args[] = AGGREGATE_ARGUMENTS(WAYMARK_SIGNED);

struct waymark_event waymark_own_aggregate = {
	.state = &state,
	.name = OWN_AGGREGATE "\0" AGGREGATE_TEXTS("i64"),
	.file = "waymark",
	.args = aggregate_args,
	.line = 4,
	.backends = WAYMARK_CTF,
	.arg_count = ARRAY_SIZE(aggregate_args),
	.flags = WAYMARK_EVENT_BRACES,
};

static const struct waymark_arg aggregate_float_args[] = AGGREGATE_ARGUMENTS(WAYMARK_FLOAT);

struct waymark_event waymark_own_aggregate_float = {
	.state = &state,
	.name = OWN_AGGREGATE_FLOAT "\0" AGGREGATE_TEXTS("f64"),
	.file = "waymark",
	.args = aggregate_float_args,
	.line = 5,
	.backends = WAYMARK_CTF,
	.arg_count = ARRAY_SIZE(aggregate_float_args),
	.flags = WAYMARK_EVENT_BRACES,
};

bool waymark_own_prepare(void)
{
	static struct waymark_event *const all[] = { &waymark_own_left_out, &waymark_own_trigger,
		&waymark_own_mark, &waymark_own_aggregate, &waymark_own_aggregate_float };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (!waymark_entry_id(all[i])) {
			return false;
		}
	}
	return true;
}
