/* SPDX-License-Identifier: MIT */
/* Replaces points.cc if the platform has no C++ compiler. */
#include "program.h"

void points_of_cxx(void)
{
}
