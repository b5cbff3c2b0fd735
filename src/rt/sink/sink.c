/* SPDX-License-Identifier: MIT */
/* The table of sinks. */
#include <string.h>

#include "base/compiler.h"
#include "rt/sink/sink.h"

/* In the order in which `file=` looks for one. */
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
