/* SPDX-License-Identifier: MIT */
#include "twice.h"

void twice_elsewhere(int number)
{
	twice(number);
	WAYMARK_INSTANT(VirtioNet, "same name", "of this file");
}
