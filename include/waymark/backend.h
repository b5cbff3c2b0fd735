/* SPDX-License-Identifier: MIT */
/*
 * waymark/backend.h - the backends as bits of a mask. Masks say which backends an event was built
 * with, which are on for it, or which a control call switches.
 */
#ifndef WAYMARK_BACKEND_H
#define WAYMARK_BACKEND_H

#include <waymark/backends.def>

enum waymark_backend {
#define WAYMARK_BACKEND_BIT(bit, upper, lower, kind, help) WAYMARK_##upper = 1 << (bit),
	WAYMARK_ALL_BACKENDS(WAYMARK_BACKEND_BIT)
#undef WAYMARK_BACKEND_BIT
	/*
	 * External tracers switch these backends, not the mask of the event's state: their bits
	 * only say what an event was built with.
	 */
	WAYMARK_OUTSIDE_BACKENDS = WAYMARK_UST | WAYMARK_DTRACE,
	/* All backends, including those of later versions. */
	WAYMARK_ANY_BACKEND = 0xffff
};

#endif
