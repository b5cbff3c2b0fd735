/* SPDX-License-Identifier: MIT */
/*
 * The events of translated code. A value that exists only when the guest runs is a
 * register of the host and a number that is added to it.
 */
#ifndef RISCV_TRANSLATE_TRACE_TCG_H
#define RISCV_TRANSLATE_TRACE_TCG_H

#include "translate/x86_64.h"

#define WAYMARK_VALUE struct x86_place
#include "trace-tcg-hart.h"

#endif
