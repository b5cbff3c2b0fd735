/* SPDX-License-Identifier: MIT */
/* trace/simple.h of a QEMU tree that records with Waymark: the trace file of HMP's trace-file. */
#ifndef QEMU_TRACE_SIMPLE_H
#define QEMU_TRACE_SIMPLE_H

#include <waymark/qemu.h>

#endif
