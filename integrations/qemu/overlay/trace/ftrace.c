/* SPDX-License-Identifier: MIT */
/* Empty: the Waymark library does what this file of QEMU did. Build rules still name it. */
#include "qemu/osdep.h"
