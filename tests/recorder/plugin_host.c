/* SPDX-License-Identifier: MIT */
/*
 * Plug-ins with events are loaded, record, and are immediately unloaded, while another thread
 * records: plugin_host FILE PLUGIN... Checks that QEMU's fault 9 (the names of a module's events
 * are written into the middle of other records) is absent, and that events still in memory at
 * dlclose() reach the file.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <waymark/control.h>

#include "decode.h"
#include "plugin.h"

#define ROUNDS 200

EVENT(host)
WAYMARK_REGISTER_OBJECT()

static uint32_t stop;

static void *record_meanwhile(void *count)
{
	uint64_t i = 0;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		trace_host(i++);
		if (i % 100 == 0) {
			usleep(100);
		}
	}
	*(uint64_t *)count = i;
	return NULL;
}

static void load_and_unload(const char *path, uint64_t round)
{
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void (*run)(uint64_t);

	if (!plugin) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
	*(void **)(void *)&run = dlsym(plugin, "plugin_run");
	run(round);
	dlclose(plugin);
}

static void record(const char *file, char **plugins, int count)
{
	struct waymark_error error;
	char options[4096];
	uint64_t recorded;
	pthread_t thread;

	snprintf(options, sizeof(options), "enable=*,simple.file=%s", file);
	if (waymark_configure(options, &error)) {
		fprintf(stderr, "%s\n", error.text);
		exit(3);
	}
	pthread_create(&thread, NULL, record_meanwhile, &recorded);
	for (uint64_t round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < count; i++) {
			load_and_unload(plugins[i], round);
		}
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	trace_host(recorded);
	exit(0);
}

/* Checks that each object's events are complete and in order. Returns NULL or the fault. */
static const char *check_trace(const struct trace *t, int plugins)
{
	struct {
		const char *name;
		uint64_t next;
	} seen[16] = { { "host", 0 } };
	size_t names = 1;
	const char *error = NULL;

	for (size_t i = 0; i < t->count; i++) {
		const char *name = t->records[i].name;
		size_t k = 0;

		while (k < names && name && strcmp(seen[k].name, name)) {
			k++;
		}
		if (!name || k == 16 || trace_arg(&t->records[i], 0) != seen[k].next) {
			return "an event is missing or out of order";
		}
		names += k == names;
		seen[k].name = name;
		seen[k].next++;
	}
	for (size_t k = 1; !error && k < names; k++) {
		error = seen[k].next == ROUNDS ? NULL : "a plug-in's last events are missing";
	}
	return error || names == (size_t)plugins + 1 ? error : "a plug-in's events are missing";
}

static const char *check(const char *file, int plugins)
{
	struct trace t;
	const char *error = trace_read(&t, file);

	if (!error) {
		error = check_trace(&t, plugins);
		trace_free(&t);
	}
	return error;
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	if (argc < 3) {
		return 2;
	}
	unlink(argv[1]);
	pid = fork();
	if (pid == 0) {
		record(argv[1], argv + 2, argc - 2);
	}
	waitpid(pid, &status, 0);
	if (status) {
		fprintf(stderr, "the program ended with status 0x%x\n", status);
		return 1;
	}
	const char *error = check(argv[1], argc - 2);

	if (error) {
		fprintf(stderr, "%s: %s\n", argv[1], error);
	}
	return error != NULL;
}
