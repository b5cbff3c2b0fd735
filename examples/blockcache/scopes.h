/* SPDX-License-Identifier: MIT */
/* The categories of this program's trace points of waymark/scope.h. */
#ifndef BLOCKCACHE_SCOPES_H
#define BLOCKCACHE_SCOPES_H

#include <waymark/scope.h>

#define BLOCKCACHE_CATEGORIES(C)                                   \
	C(Work, true, "requests of the worker threads")            \
	C(Device, true, "the process that reads and writes files") \
	C(Wire, false, "what goes between it and its users: compiled out")
WAYMARK_CATEGORIES(BLOCKCACHE_CATEGORIES);

#endif
