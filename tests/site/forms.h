/* SPDX-License-Identifier: MIT */
/* Trace points in a header of C that several translation units include. */
#ifndef FORMS_H
#define FORMS_H

#include <waymark/scope.h>

#define CATEGORIES(C)                         \
	C(Net, true, "a network")             \
	C(errno, true, "named as a macro is") \
	C(Out, false, "compiled out")
WAYMARK_CATEGORIES(CATEGORIES);

static inline int inner(int x)
{
	WAYMARK_SCOPE(Net, "inner", x);
	return x + 1;
}

static inline int outer(int x)
{
	WAYMARK_SCOPE(Net, "outer", x);
	return inner(x) + inner(x + 1);
}

#endif
