/* SPDX-License-Identifier: MIT */
/*
 * Loads and unloads a plug-in a thousand times with its events on: plugin_host PLUGIN LOG. Checks
 * that the log has exactly its lines, that two objects with an event of the same name do not
 * disturb each other, and that the number of used ids does not exceed the number of different
 * events.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <trace/control.h>

#include "events.h"

#define ROUNDS 1000

EVENT(shared_name, WAYMARK_LOG, 1)
EVENT_LIST(&waymark_event_shared_name)

static int status;

static void check(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "not so: %s\n", what);
		status = 1;
	}
}

static size_t count_events(const char *pattern)
{
	TraceEventIter iter;
	size_t n = 0;

	trace_event_iter_init_pattern(&iter, pattern);
	while (trace_event_iter_next(&iter)) {
		n++;
	}
	return n;
}

static void load_run_unload(const char *path, int round)
{
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!plugin) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	void (*run)(int);

	*(void **)(void *)&run = dlsym(plugin, "plugin_run");
	run(round);
	trace_shared_name(-round);
	check(count_events("shared_name") == 2, "both objects have their event");
	check(dlclose(plugin) == 0, "the plug-in can be unloaded");
	check(count_events("*") == 1, "the plug-in's events are gone");
}

int main(int argc, char **argv)
{
	struct waymark_error error;
	char options[4096];

	if (argc != 3) {
		return 2;
	}
	snprintf(options, sizeof(options),
		"plugin_*,enable=shared_name,backend=log,log.prefix=none,log.file=%s", argv[2]);
	check(waymark_configure(options, &error) == 0, "the option is right");
	for (int i = 1; i <= ROUNDS; i++) {
		load_run_unload(argv[1], i);
	}
	TraceEvent last = waymark_event_shared_name;

	last.id = 0;
	last.line = 1000;
	check(trace_event_get_id(&last) == 4, "three events have used three ids");
	return status;
}
