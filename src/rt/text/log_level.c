/* SPDX-License-Identifier: MIT */
/* See log_level.h. */
#include <stddef.h>
#include <strings.h>

#include "base/compiler.h"
#include "rt/text/log_level.h"

/* From the one that shows least. */
static const char *const levels[] = { "error", "warn", "info", "debug", "trace" };

/* Relaxed: no other memory hangs on it. */
static bool hides_events;

bool waymark_log_level_set(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		if (strcasecmp(levels[i], name) == 0) {
			bool hides = strcasecmp(name, LOG_LEVEL_OF_EVENTS) != 0;

			__atomic_store_n(&hides_events, hides, __ATOMIC_RELAXED);
			return true;
		}
	}
	return false;
}

bool waymark_log_level_shows_events(void)
{
	return !__atomic_load_n(&hides_events, __ATOMIC_RELAXED);
}
