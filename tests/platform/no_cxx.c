/* SPDX-License-Identifier: MIT */
/* In the place of points.cc where there is no compiler of C++ for the platform. */
#include "program.h"

void points_of_cxx(void)
{
}
