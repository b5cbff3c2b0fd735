// SPDX-License-Identifier: MIT
// The trace points of points.h, compiled as C++.
#include "points.h"

void points_of_cxx(void)
{
	points("C++");
}
