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
	/* All of them, those of later versions included. */
	WAYMARK_ANY_BACKEND = 0xffff
};

#endif
