/* SPDX-License-Identifier: MIT */
/*
 * The table of sinks, and the names of files that wait for events: at most one for each sink, all
 * of which have their own key. Called by control calls, and when an object registers.
 */
#include <string.h>

#include "base/compiler.h"
#include "rt/control/sinks.h"
#include "rt/event/registry.h"
#include "rt/host/error.h"
#include "rt/host/lock.h"
#include "rt/host/message.h"
#include "rt/host/path.h"

/* In the order in which `file=` looks for a sink. */
static const struct waymark_sink *const sinks[] = {
	&waymark_sink_ctf,
	&waymark_sink_simple,
	&waymark_sink_log,
};

const struct waymark_sink *waymark_sink_first(unsigned int backends)
{
	for (size_t i = 0; i < ARRAY_SIZE(sinks); i++) {
		if (sinks[i]->backend & backends) {
			return sinks[i];
		}
	}
	return NULL;
}

const struct waymark_sink *waymark_sink_by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(sinks); i++) {
		if (strcmp(sinks[i]->name, name) == 0) {
			return sinks[i];
		}
	}
	return NULL;
}

/* The paths are under the control lock. */
static struct {
	const struct waymark_sink *sink;
	char *path; /* absolute; NULL: nothing waits */
	bool yield; /* a derived name may be used */
} waiting[] = {
	{ .sink = &waymark_sink_ctf },
	{ .sink = &waymark_sink_simple },
	{ .sink = &waymark_sink_log },
};

/* Makes `path` the name that waits for the sink, and returns the former one. */
static char *replace(const struct waymark_sink *sink, char *path, bool yield)
{
	char *old = NULL;

	waymark_lock();
	for (size_t i = 0; i < ARRAY_SIZE(waiting); i++) {
		if (waiting[i].sink == sink) {
			old = waiting[i].path;
			waiting[i].path = path;
			waiting[i].yield = yield;
		}
	}
	waymark_unlock();
	return old;
}

static NOINLINE int open_output(
	const struct waymark_sink *sink, const char *path, bool yield, struct waymark_error *error)
{
	struct waymark_error reason;

	if (sink->set_file(path, yield, &reason) == 0) {
		return 0;
	}
	return waymark_fail(error, "%s.file=: %s", sink->name, reason.text);
}

int waymark_output_set(
	const struct waymark_sink *sink, const char *path, bool yield, struct waymark_error *error)
{
	if (waymark_registry_backends() & sink->backend) {
		return open_output(sink, path, yield, error);
	}
	char *copy = path_absolute(path);

	if (!copy) {
		return waymark_fail(error, "out of memory");
	}
	free(replace(sink, copy, yield));
	return 0;
}

void waymark_output_follow(void)
{
	unsigned int there = waymark_registry_backends();

	for (size_t i = 0; i < ARRAY_SIZE(waiting); i++) {
		const struct waymark_sink *sink = waiting[i].sink;
		bool yield = waiting[i].yield;
		char *path = sink->backend & there ? replace(sink, NULL, false) : NULL;
		struct waymark_error error;

		if (path && open_output(sink, path, yield, &error) < 0) {
			waymark_message("%s", error.text);
		}
		free(path);
	}
}

void waymark_output_forget(const struct waymark_sink *sink)
{
	free(replace(sink, NULL, false));
}
