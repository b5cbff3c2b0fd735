/* SPDX-License-Identifier: MIT */
/* trace/control-vcpu.h, up to release 8.0: the control API, with the vCPU that it takes. */
#ifndef QEMU_TRACE_CONTROL_VCPU_H
#define QEMU_TRACE_CONTROL_VCPU_H

#include "control.h"
#include "hw/core/cpu.h"

#endif
