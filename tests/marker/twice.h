/* SPDX-License-Identifier: MIT */
/* A trace point in a header: each unit that includes it contains the same one. */
#ifndef MARKER_TWICE_H
#define MARKER_TWICE_H

#include <waymark/scope.h>

#ifndef NEW_CATEGORY
#define NEW_CATEGORY true
#endif

#define CATEGORIES(C)                                        \
	C(VirtioFs, true, "the guest's \"file system\"")     \
	C(VirtioNet, true, "its network, as tap devices do") \
	C(NewCategory, NEW_CATEGORY, "one more")
WAYMARK_CATEGORIES(CATEGORIES);

static inline void twice(int number)
{
	WAYMARK_SCOPE(VirtioFs, "twice", number);
}

void twice_elsewhere(int number);

#endif
