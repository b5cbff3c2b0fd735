/* SPDX-License-Identifier: MIT */
/*
 * waymark/backend.h - the backends as bits of a mask: those an event was built with, those that
 * are on for it, those that a control call switches.
 */
#ifndef WAYMARK_BACKEND_H
#define WAYMARK_BACKEND_H

#include <waymark/backends.def>

enum waymark_backend {
#define WAYMARK_BACKEND_BIT(bit, upper, lower, kind, help) WAYMARK_##upper = 1 << (bit),
	WAYMARK_ALL_BACKENDS(WAYMARK_BACKEND_BIT)
#undef WAYMARK_BACKEND_BIT
	/*
	 * External tracers switch these, not the mask of the state: their bits only say what
	 * an event was built with.
	 */
	WAYMARK_OUTSIDE_BACKENDS = WAYMARK_UST | WAYMARK_DTRACE,
	/* All backends, including those of later versions. */
	WAYMARK_ANY_BACKEND = 0xffff
};

#endif
