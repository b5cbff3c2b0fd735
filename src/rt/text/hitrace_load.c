/* SPDX-License-Identifier: MIT */
/* Loads the library of HiTraceMeter: see hitrace.h. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "rt/host/message.h"
#include "rt/text/hitrace.h"

#define LIBRARY "libhitrace_meter.so"

static const struct {
	const char *name;
	size_t place;
} symbols[] = {
	{ "StartTraceWrapper", offsetof(struct hitrace, start) },
	{ "FinishTrace", offsetof(struct hitrace, finish) },
	{ "StartAsyncTraceWrapper", offsetof(struct hitrace, start_async) },
	{ "FinishAsyncTraceWrapper", offsetof(struct hitrace, finish_async) },
};

/* Written before the release in hitrace.c. */
static struct hitrace functions;

/* Reads the dynamic linker's errors, so that the program does not find ours. */
static bool find_functions(void *library)
{
	for (size_t i = 0; i < ARRAY_SIZE(symbols); i++) {
		void *found = dlsym(library, symbols[i].name);

		if (!found) {
			dlerror();
			waymark_message("hitrace: " LIBRARY " has no %s()" HITRACE_IN_VAIN,
				symbols[i].name);
			return false;
		}
		*(void **)(void *)((char *)&functions + symbols[i].place) = found;
	}
	return true;
}

const struct hitrace *waymark_hitrace_open(void)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		const char *reason = dlerror();

		waymark_message("hitrace: %s" HITRACE_IN_VAIN, reason ? reason : LIBRARY);
		return NULL;
	}
	return find_functions(library) ? &functions : NULL;
}
