/* SPDX-License-Identifier: MIT */
/*
 * A program in QEMU's order: each argument is a -trace option (or `enable:X`, a call of
 * trace_enable_events); then it opens backends and file, and fires its events.
 */
#include <stdio.h>
#include <string.h>

#include <trace/control.h>

#include "events.h"

#ifndef BACKENDS
#define BACKENDS WAYMARK_LOG
#endif

EVENT(disk_read, BACKENDS, 1)
EVENT(disk_write, BACKENDS, 2)
EVENT(net_read, BACKENDS, 3)
EVENT_LIST(&waymark_event_disk_read, &waymark_event_disk_write, &waymark_event_net_read)

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strncmp(argv[i], "enable:", 7) == 0) {
			trace_enable_events(argv[i] + 7);
		} else {
			trace_opt_parse(argv[i]);
		}
	}
	trace_init_backends();
	trace_init_file();
	trace_disk_read(1);
	trace_disk_write(2);
	trace_net_read(3);
	return 0;
}
