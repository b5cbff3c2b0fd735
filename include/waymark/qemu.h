/* SPDX-License-Identifier: MIT */
/*
 * waymark/qemu.h - trace/control.h and trace/simple.h, for a source tree that has its own files of
 * these names, as QEMU has: an #include with these names would find the tree's.
 */
#ifndef WAYMARK_QEMU_H
#define WAYMARK_QEMU_H

#include "../trace/control.h"
#include "../trace/simple.h"

#endif
