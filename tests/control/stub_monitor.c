/* SPDX-License-Identifier: MIT */
/*
 * Replaces the monitor: each start appends a line to the file $STUB_MONITOR, with the monitor's
 * options and the state of the program's event: none (not registered yet), on or off. Fails for an
 * address that begins with "./bad".
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
