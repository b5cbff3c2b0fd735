/* SPDX-License-Identifier: MIT */
/*
 * The one way in which the runtime speaks by itself: a line on standard error,
 * `waymark: ...`, in one write. Rare, and never the same thing over and over:
 * the caller sees to that.
 */
#ifndef RT_HOST_MESSAGE_H
#define RT_HOST_MESSAGE_H

#include "base/compiler.h"

/* Any thread; keeps errno. No newline at the end of `fmt`. */
void waymark_message(const char *fmt, ...) PRINTF(1, 2);

#endif
