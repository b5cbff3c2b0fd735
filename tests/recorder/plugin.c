/* SPDX-License-Identifier: MIT */
/* An object that comes and goes; built several times, each with an event of its own. */
#include "plugin.h"

EVENT(PLUGIN_EVENT)

WAYMARK_REGISTER_OBJECT()

void plugin_run(uint64_t count);

void plugin_run(uint64_t count)
{
	PLUGIN_TRACE(count);
}
