/* SPDX-License-Identifier: MIT */
/* The second of two files that include twice.h: the program has its trace point twice. */
#include "twice.h"

void twice_elsewhere(int number)
{
	twice(number);
	WAYMARK_INSTANT(VirtioNet, "same name", "of this file");
}
