/* SPDX-License-Identifier: MIT */
#include "points.h"

void points_of_c(void)
{
	points("C");
}
