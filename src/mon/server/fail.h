/* SPDX-License-Identifier: MIT */
/* Errors of the monitor's public functions. For any thread. */
#ifndef MON_FAIL_H
#define MON_FAIL_H

#include <waymark/control.h>

#include "base/compiler.h"

/* Sets the text, a line without control characters; `error` may be NULL. Returns -1. */
int mon_fail(struct waymark_error *error, const char *fmt, ...) PRINTF(2, 3);

#endif
