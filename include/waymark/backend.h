/* SPDX-License-Identifier: MIT */
/*
 * waymark/backend.h - the backends as bits of a mask: what an event was built
 * with, what is on for it, and what a control call is about.
 */
#ifndef WAYMARK_BACKEND_H
#define WAYMARK_BACKEND_H

enum waymark_backend {
#define WAYMARK_BACKEND(bit, upper, lower) WAYMARK_##upper = 1 << (bit),
#include <waymark/backends.def>
#undef WAYMARK_BACKEND
	/*
	 * Those that tracers outside of the process switch, by other words than the
	 * mask of the state: their bits say what an event was built with, no more.
	 */
	WAYMARK_OUTSIDE_BACKENDS = WAYMARK_UST | WAYMARK_DTRACE,
	/* All of them, those of later versions included. */
	WAYMARK_ANY_BACKEND = 0xffff
};

#endif
