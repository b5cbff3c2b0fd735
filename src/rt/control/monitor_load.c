/* SPDX-License-Identifier: MIT */
/* Loads the monitor's library. Only libwaymark.so has this file; monitor.c calls it. */
#include <dlfcn.h>
#include <string.h>

#include "rt/control/monitor.h"
#include "rt/event/loaded.h"
#include "rt/host/error.h"

#define LIBRARY "libwaymark-monitor.so." WAYMARK_SOVERSION
#define FUNCTION "waymark_monitor_start"

static void *open_library(const char *path)
{
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* Opens the library in our own library's directory, which the dynamic linker may not know. */
static void *open_beside(void)
{
	static const char here;
	struct loaded own;
	char path[sizeof(own.name) + sizeof(LIBRARY)];
	const char *slash = waymark_loaded_find(&here, &own) ? strrchr(own.name, '/') : NULL;

	if (!slash) {
		return NULL;
	}
	size_t length = (size_t)(slash + 1 - own.name);

	memcpy(path, own.name, length);
	strcpy(path + length, LIBRARY);
	return open_library(path);
}

/* Reads the dynamic linker's errors, so that the program does not find ours. */
static void *find_library(struct waymark_error *error)
{
	void *library = open_library(LIBRARY);

	if (library) {
		return library;
	}
	const char *reason = dlerror();

	waymark_fail(error,
		"control=: %s: install the library of Waymark's monitor, or name its directory in "
		"LD_LIBRARY_PATH",
		reason ? reason : LIBRARY);
	library = open_beside();
	dlerror();
	return library;
}

monitor_start *waymark_monitor_load(struct waymark_error *error)
{
	void *library = find_library(error);
	monitor_start *start = NULL;

	if (!library) {
		return NULL;
	}
	*(void **)(void *)&start = dlsym(library, FUNCTION);
	if (!start) {
		dlerror();
		waymark_fail(error, "control=: " LIBRARY " has no " FUNCTION "()");
	}
	return start;
}
