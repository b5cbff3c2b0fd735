/* SPDX-License-Identifier: MIT */
/* A module with one event. The victim's mode `modules` loads and unloads it. */
#include "trace-survive_module.h"

void module_live(uint32_t thread, uint64_t step);

void module_live(uint32_t thread, uint64_t step)
{
	trace_live_module_0000(thread, step);
}
