/* SPDX-License-Identifier: MIT */
/*
 * In the place of the monitor: notes what it is started with in the file of
 * $STUB_MONITOR, a line a start, and whether the program's own events are there by
 * then. A place that begins with "./bad" cannot be had.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <waymark/monitor.h>

static const char *const modes[] = { "qmp", "hmp", "stratovirt", "stratovirt-2023" };

int waymark_monitor_start(
	const struct waymark_monitor_options *options, struct waymark_error *error)
{
	const struct waymark_event *event = waymark_find("disk_read");
	const char *path = getenv("STUB_MONITOR");
	FILE *f = path ? fopen(path, "a") : NULL;

	if (strncmp(options->where, "./bad", 5) == 0) {
		snprintf(error->text, sizeof(error->text), "%s: it is taken", options->where);
		return -1;
	}
	if (f) {
		fprintf(f, "%s %s %s %s\n", options->where, modes[options->mode],
			options->prompt ? options->prompt : "NULL",
			!event			   ? "none"
			: waymark_get_state(event) ? "on"
						   : "off");
		fclose(f);
	}
	return 0;
}
