/* SPDX-License-Identifier: MIT */
/* The second of two files that include twice.h: its trace points are there twice. */
#include "twice.h"

void twice_elsewhere(int number)
{
	twice(number);
	WAYMARK_INSTANT(VirtioNet, "same name", "of this file");
}
