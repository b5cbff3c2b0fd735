/* SPDX-License-Identifier: MIT */
/*
 * Finds the monitor: it is part of the program (linked, statically or not), or a library that is
 * loaded now. A libwaymark that is itself part of the program has no code to load that library,
 * because the library would load another libwaymark, which has no events.
 */
#include <stdlib.h>
#include <string.h>

#include "rt/control/monitor.h"
#include "rt/host/error.h"

#pragma weak waymark_monitor_start
#pragma weak waymark_monitor_load

/* The function of the loaded library. By release and acquire. */
static monitor_start *loaded_start;

/* The request of the environment; set by one constructor at a time. */
static struct {
	struct monitor_wish *wishes;
	size_t count;
} postponed;

static monitor_start *find_start(void)
{
	return waymark_monitor_start ? waymark_monitor_start
				     : __atomic_load_n(&loaded_start, __ATOMIC_ACQUIRE);
}

int waymark_monitor_find(struct waymark_error *error)
{
	if (find_start()) {
		return 0;
	}
	if (!waymark_monitor_load) {
		return waymark_fail(error,
			"control=: libwaymark is part of the program, but the monitor is not: link "
			"it with -Wl,-u,waymark_monitor_start -lwaymark-monitor as well");
	}
	monitor_start *start = waymark_monitor_load(error);

	if (start) {
		__atomic_store_n(&loaded_start, start, __ATOMIC_RELEASE);
	}
	return start ? 0 : -1;
}

static enum waymark_monitor_mode mode_of(const char *word)
{
	return !word || *word == 'q'		 ? WAYMARK_MONITOR_QMP
	       : *word == 'h'			 ? WAYMARK_MONITOR_HMP
	       : strcmp(word, "stratovirt") == 0 ? WAYMARK_MONITOR_STRATOVIRT
						 : WAYMARK_MONITOR_STRATOVIRT_2023;
}

int waymark_monitor_begin(const struct monitor_wish *wish, struct waymark_error *error)
{
	bool optional = monitor_is_optional(wish);
	const struct waymark_monitor_options options = {
		.where = optional ? "on" : wish->where,
		.mode = mode_of(wish->mode),
		.prompt = wish->prompt,
		.yields = optional,
	};
	struct waymark_error reason = { "" };

	if (waymark_monitor_find(error) < 0) {
		return optional ? 0 : -1;
	}
	if (find_start()(&options, &reason) < 0 && !optional) {
		return waymark_fail(error, "control=: %s", reason.text);
	}
	return 0;
}

int waymark_monitor_postpone(struct monitor_wish *wish, struct waymark_error *error)
{
	struct monitor_wish *wishes =
		reallocarray(postponed.wishes, postponed.count + 1, sizeof(*wishes));

	if (!wishes) {
		return waymark_fail(error, "out of memory");
	}
	wishes[postponed.count++] = *wish;
	postponed.wishes = wishes;
	*wish = (struct monitor_wish){ 0 };
	return 0;
}

bool waymark_monitor_is_postponed(void)
{
	return postponed.count > 0;
}

/*
 * Takes the list out first, because loading the monitor's library may register events, which call
 * this again.
 */
void waymark_monitor_begin_postponed(void (*say)(const struct waymark_error *warning))
{
	struct monitor_wish *wishes = postponed.wishes;
	size_t count = postponed.count;
	struct waymark_error error;

	postponed.wishes = NULL;
	postponed.count = 0;
	for (size_t i = 0; i < count; i++) {
		if (waymark_monitor_begin(&wishes[i], &error) < 0) {
			say(&error);
		}
		waymark_monitor_forget(&wishes[i]);
	}
	free(wishes);
}

void waymark_monitor_forget(struct monitor_wish *wish)
{
	free(wish->where);
	free(wish->prompt);
	*wish = (struct monitor_wish){ 0 };
}
