/* SPDX-License-Identifier: MIT */
/* A module: it fires an event of the program. */
#include "qemu/osdep.h"

#include "trace-io.h"

void module_run(void);

void module_run(void)
{
	trace_io_read(5, "module");
}
