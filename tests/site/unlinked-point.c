/* SPDX-License-Identifier: MIT */
/* The trace point of unlinked.c's program: see there. */
#include <waymark/scope.h>

#include "unlinked.h"

/* clang-format off */
#define CATEGORIES(C) C(Net, true, "a network")
/* clang-format on */
WAYMARK_CATEGORIES(CATEGORIES);

void fire(void)
{
	for (int i = 0; i < THINGS; i++) {
		WAYMARK_INSTANT(Net, "thing", waymark_debug_object(put_thing, &i));
	}
}
