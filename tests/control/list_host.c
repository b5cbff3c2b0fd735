/* SPDX-License-Identifier: MIT */
/*
 * A thread loads and unloads a plug-in while another lists all events and reads the
 * list: list_host PLUGIN. Fails unless some lists had the plug-in's events and some
 * did not.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <waymark/control.h>

#define ROUNDS 300

static bool done;
static unsigned int lists;

/* Every other time keeps the plug-in loaded until another thread has made a whole list. */
static void stay(int round)
{
	unsigned int before = __atomic_load_n(&lists, __ATOMIC_RELAXED);

	while (round & 1 && __atomic_load_n(&lists, __ATOMIC_RELAXED) - before < 2) {
		sched_yield();
	}
}

static void *load_and_unload(void *path)
{
	for (int i = 0; i < ROUNDS; i++) {
		void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);

		if (!plugin) {
			fprintf(stderr, "%s\n", dlerror());
			exit(1);
		}
		stay(i);
		dlclose(plugin);
		stay(i);
	}
	__atomic_store_n(&done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Returns the number of listed events; all are the plug-in's. */
static size_t list(void)
{
	struct waymark_event_list events;
	struct waymark_error error;

	if (waymark_list_events("/^(plugin_run|shared_name)$/", &events, &error) < 0) {
		fprintf(stderr, "%s\n", error.text);
		exit(1);
	}
	for (size_t i = 0; i < events.count; i++) {
		if (strlen(events.events[i].name) < 10) {
			abort();
		}
	}
	size_t count = events.count;

	waymark_free_events(&events);
	__atomic_fetch_add(&lists, 1, __ATOMIC_RELAXED);
	return count;
}

int main(int argc, char **argv)
{
	size_t seen[3] = { 0 };
	pthread_t loader;

	if (argc != 2 || pthread_create(&loader, NULL, load_and_unload, argv[1])) {
		return 2;
	}
	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
		size_t count = list();

		if (count > 2) {
			return 1;
		}
		seen[count]++;
	}
	pthread_join(loader, NULL);
	printf("%zu lists without the plug-in, %zu with it\n", seen[0], seen[1] + seen[2]);
	return seen[0] && seen[1] + seen[2] && !list() ? 0 : 1;
}
