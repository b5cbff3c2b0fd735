/* SPDX-License-Identifier: MIT */
/*
 * A program like StratoVirt: each argument is a -trace option, or `set:NAME`, which makes the
 * program itself choose its dialect. It has two events and a scope.
 */
#include <stdio.h>
#include <string.h>

#include <trace/control.h>
#include <waymark/control.h>

#include "events.h"

EVENT(virtio_receive_request, WAYMARK_LOG | WAYMARK_CTF, 1)
EVENT(usb_xhci_run, WAYMARK_LOG | WAYMARK_CTF, 2)
EVENT(update_cursor, WAYMARK_LOG | WAYMARK_CTF, 3)
EVENT_LIST(&waymark_event_virtio_receive_request, &waymark_event_usb_xhci_run,
	&waymark_event_update_cursor)

__attribute__((constructor(101))) static void make_scope(void)
{
	waymark_event_update_cursor.flags = WAYMARK_EVENT_SCOPE;
}

static int choose(const char *name)
{
	bool is_stratovirt = strcmp(name, "stratovirt") == 0;
	struct waymark_error error;
	int result = waymark_set_dialect(
		is_stratovirt ? WAYMARK_DIALECT_STRATOVIRT : WAYMARK_DIALECT_WAYMARK, &error);

	if (result < 0) {
		fprintf(stderr, "set: %s\n", error.text);
	}
	return result;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strncmp(argv[i], "set:", 4) != 0) {
			trace_opt_parse(argv[i]);
		} else if (choose(argv[i] + 4) < 0) {
			return 1;
		}
	}
	trace_init_file();
	trace_virtio_receive_request(1);
	trace_usb_xhci_run(2);
	trace_update_cursor(3);
	return 0;
}
