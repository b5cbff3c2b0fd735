/* SPDX-License-Identifier: MIT */
/* The events of this directory, under the name that its sources include. */
#include "trace-hart.h"
