/* SPDX-License-Identifier: MIT */
/* A number is a hash, so that it is the same for all viewers. */
#include "relay/traces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

uint64_t relay_number(const char *text, uint64_t number)
{
	uint64_t h = hash_string(text) ^ number * UINT64_C(0x9e3779b97f4a7c15);

	return h == RELAY_ALL ? 0 : h;
}

/* Names a given trace by the last part of its path. */
static void add_given(struct relay_traces *t, const char *given)
{
	char *path = realpath(given, NULL);
	struct relay_trace trace = { .path = path ? path : xstrdup(given) };
	const char *name = strrchr(trace.path, '/');

	trace.id = trace.session = relay_number(trace.path, 0);
	snprintf(trace.name, sizeof(trace.name), "%s", name ? name + 1 : trace.path);
	vec_foreach (const struct relay_trace *, known, &t->all) {
		if (known->id == trace.id) {
			free(trace.path);
			return;
		}
	}
	vec_push(&t->all, trace);
}

/* A trace is known by its uuid, as it gets its name only when it is complete. */
uint64_t relay_trace_id(const uint8_t uuid[16])
{
	uint64_t half[2];

	memcpy(half, uuid, sizeof(half));
	return half[0] ^ half[1];
}

struct relay_trace relay_trace_of(const struct leftover *o)
{
	struct relay_trace trace = { .path = xstrdup(o->directory), .id = relay_trace_id(o->uuid) };

	trace.session = relay_number(o->command, o->pid);
	snprintf(trace.name, sizeof(trace.name), "%s-%u", o->command, (unsigned int)o->pid);
	return trace;
}

static void add_processes(struct relay_traces *t)
{
	struct leftovers l;

	leftovers_find(&l);
	vec_foreach (const struct leftover *, o, &l.all) {
		if (o->state == LEFTOVER_ALIVE && leftover_is_readable(o)) {
			vec_push(&t->all, relay_trace_of(o));
		}
	}
	leftovers_fini(&l);
}

void relay_traces_list(struct relay_traces *t, const struct relay_options *options)
{
	*t = (struct relay_traces){ 0 };
	for (size_t i = 0; i < options->path_count; i++) {
		add_given(t, options->paths[i]);
	}
	if (options->path_count == 0) {
		add_processes(t);
	}
}

void relay_traces_fini(struct relay_traces *t)
{
	vec_foreach (struct relay_trace *, trace, &t->all) {
		free(trace->path);
	}
	vec_fini(&t->all);
}
