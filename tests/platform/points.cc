// SPDX-License-Identifier: MIT
#include "points.h"

void points_of_cxx(void)
{
	points("C++");
}
