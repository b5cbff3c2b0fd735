/* SPDX-License-Identifier: MIT */
/*
 * Repeatedly loads and unloads a plug-in, with its event on for one of two vCPUs: plugin_host
 * PLUGIN. Each time its event gets the state of the patterns in force, and the watcher is called
 * if they switch it on.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <trace/control.h>

#include "vcpu_events.h"

#define ROUNDS 500

static struct cpu cpus[] = { { 0 }, { 1 } };
static unsigned int told;
static int status;

static void check(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "not so: %s\n", what);
		status = 1;
	}
}

static void watch(void *cpu, void *opaque)
{
	(void)cpu;
	(void)opaque;
	told++;
}

static void *load(const char *path, unsigned long (**run)(const struct cpu *cpu))
{
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!plugin) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	*(void **)(void *)run = dlsym(plugin, "plugin_run");
	return plugin;
}

/* Its event is off at first. */
static void run_on_one(const char *path)
{
	unsigned long (*run)(const struct cpu *);
	void *plugin = load(path, &run);

	check(run(&cpus[0]) == 0 && run(&cpus[1]) == 0, "a new object's event is off");
	check(waymark_vcpu_set_states(1, "plugin_run", true, NULL) == 0, "it is found");
	check(run(&cpus[0]) == 0, "off for vCPU 0");
	check(run(&cpus[1]) == 1, "on for vCPU 1");
	check(dlclose(plugin) == 0, "the plug-in can be unloaded");
	check(trace_get_vcpu_event_count() == 0, "its event is gone");
}

/* A pattern in force switches it on when it is loaded. */
static void run_on_all(const char *path)
{
	unsigned long (*run)(const struct cpu *);

	told = 0;
	void *plugin = load(path, &run);

	check(told == 1, "the watcher heard of it");
	check(run(&cpus[0]) == 1 && run(&cpus[1]) == 1, "on for both");
	check(waymark_vcpu_set_states(0, "*", false, NULL) == 0, "off for vCPU 0");
	check(run(&cpus[0]) == 1 && run(&cpus[1]) == 2, "on for vCPU 1 only");
	dlclose(plugin);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		return 2;
	}
	waymark_vcpu_watch(watch, NULL);
	waymark_vcpu_init(&cpus[0], 0, NULL);
	waymark_vcpu_init(&cpus[1], 1, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		run_on_one(argv[1]);
	}
	check(waymark_enable("plugin_*", WAYMARK_LOG, NULL, NULL) == 0, "a pattern is in force");
	for (int i = 0; i < ROUNDS; i++) {
		run_on_all(argv[1]);
	}
	return status;
}
