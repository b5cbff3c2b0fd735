/* SPDX-License-Identifier: MIT */
/* A program that fires events and does not call the control API. */
#include "events.h"

EVENT(disk_read, WAYMARK_LOG, 1)
EVENT(net_read, WAYMARK_LOG, 2)
EVENT_LIST(&waymark_event_disk_read, &waymark_event_net_read)

int main(void)
{
	trace_disk_read(1);
	trace_net_read(2);
	return 0;
}
