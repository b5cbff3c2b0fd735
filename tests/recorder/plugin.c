/* SPDX-License-Identifier: MIT */
/* A plug-in that is loaded and unloaded; built several times, each with its own event. */
#include "plugin.h"

EVENT(PLUGIN_EVENT)

WAYMARK_REGISTER_OBJECT()

void plugin_run(uint64_t count);

void plugin_run(uint64_t count)
{
	PLUGIN_TRACE(count);
}
