/* SPDX-License-Identifier: MIT */
/*
 * The traces that viewers may see: those of running processes, or given ones. Their sessions are
 * the relay's names for them. For any thread.
 */
#ifndef RELAY_TRACES_H
#define RELAY_TRACES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "format/lttng_live.h"
#include "recover/leftover.h"

#define RELAY_ALL 1u /* id of the session of all traces */
#define RELAY_ALL_NAME "all"

struct relay_trace {
	char *path;
	uint64_t id;
	uint64_t session; /* of its process, which may have several traces, or its own: not
			     RELAY_ALL */
	char name[LIVE_NAME_BYTES]; /* of the session */
};

struct relay_traces {
	VEC(struct relay_trace) all;
};

/* What the relay shows; does not change while it runs. */
struct relay_options {
	char *const *paths; /* of the given traces */
	size_t path_count; /* 0: traces of running processes */
	bool is_whole; /* viewers see traces from their begin */
	char *const *hosts; /* other relays, HOST[:PORT], whose sessions viewers find, too */
	size_t host_count;
	struct recent *recent; /* relay/recent.h; NULL: none */
	int64_t delay_ns; /* events are shown that long after their times */
	void (*report)(const char *text); /* for any thread */
};

/* Returns a number that two texts do not share, or a text with two numbers; never RELAY_ALL. */
uint64_t relay_number(const char *text, uint64_t number);

/* Returns the id of a process's trace. */
uint64_t relay_trace_id(const uint8_t uuid[16]);

/* Returns the trace of a process. The caller frees its path. */
struct relay_trace relay_trace_of(const struct leftover *o);

/* Lists the traces of now, each once. */
void relay_traces_list(struct relay_traces *t, const struct relay_options *options);
void relay_traces_fini(struct relay_traces *t);

#endif
