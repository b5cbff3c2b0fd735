/* SPDX-License-Identifier: MIT */
/* The second file that includes twice.h: the program contains its trace point twice. */
#include "twice.h"

void twice_elsewhere(int number)
{
	twice(number);
	WAYMARK_INSTANT(VirtioNet, "same name", "of this file");
}
