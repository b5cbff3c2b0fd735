/* SPDX-License-Identifier: MIT */
/* Modules with events are loaded and unloaded while other threads record. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "victim.h"

static void live_in_module(const char *path, uint64_t events, int keep)
{
	void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void (*record)(uint32_t, uint64_t);

	if (!module) {
		fprintf(stderr, "%s\n", dlerror());
		_exit(2);
	}
	*(void **)(void *)&record = dlsym(module, "module_live");
	for (uint64_t i = 0; i < events; i++) {
		live_by(0, record);
	}
	if (!keep) {
		dlclose(module);
	}
}

/*
 * modules DIRECTORY COUNT EVENTS THREADS END [keep]: fires events of each of the modules
 * DIRECTORY/0.so ..., one after the other, and unloads each immediately unless `keep` is given
 */
static void run_modules(char **argv)
{
	unsigned int count = (unsigned int)atoi(argv[1]);
	char path[4096];

	live_for(0, 1);
	storm(1, (unsigned int)atoi(argv[3]));
	for (unsigned int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%u.so", argv[0], i);
		live_in_module(path, strtoull(argv[2], NULL, 10), argv[5] != NULL);
	}
	end(argv[4]);
}

const struct mode modes_module[] = {
	{ "modules", run_modules },
	{ NULL, NULL },
};
