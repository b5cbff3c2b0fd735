/* SPDX-License-Identifier: MIT */
/* Stub of the screen of `waymark top` for a build without ncurses (-Dscreen=disabled). */
#include <stdlib.h>

#include "cmd/escaped.h"
#include "cmd/top/top.h"

int top_screen(struct top_options *o)
{
	(void)o;
	escaped_say(TOP_NAME,
		"error: this build has no ncurses: use --once, or configure it with -Dscreen=enabled");
	return EXIT_FAILURE;
}
