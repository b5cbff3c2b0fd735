/* SPDX-License-Identifier: MIT */
/* The same trace points without a declaration in C and in C++; LANGUAGE is part of their names. */
#include <stdint.h>

#include <waymark/scope.h>

#include "program.h"

#define CATEGORIES(C) C(Platform, true, "what every platform records")
WAYMARK_CATEGORIES(CATEGORIES);

static void points(const char *language)
{
	WAYMARK_SCOPE(Platform, "points", language, (int8_t)-1, UINT64_C(0xfedcba9876543210));
	WAYMARK_INSTANT(Platform, "instant", (short)-300, 1.5, language);
	WAYMARK_COUNTER(Platform, "counter", 77);
}
