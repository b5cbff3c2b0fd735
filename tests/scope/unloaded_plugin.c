/* SPDX-License-Identifier: MIT */
/* A plug-in that begins scopes and never ends them: see unloaded.c. */
#define WAYMARK_SCOPES ctf, log
#include <waymark/scope.h>

#define PLUGIN_CATEGORIES(C) C(Shared, true, "of the program, too")
WAYMARK_CATEGORIES(PLUGIN_CATEGORIES);

void plugin_begin(int depth, struct waymark_scope *flow);

void plugin_begin(int depth, struct waymark_scope *flow)
{
	while (depth--) {
		WAYMARK_BEGIN(Shared, "of the plug-in", depth);
	}
	*flow = WAYMARK_FLOW(Shared, "flow of the plug-in");
}
