/* SPDX-License-Identifier: MIT */
/*
 * The one way in which the runtime speaks by itself: a line on standard error,
 * `waymark: ...`, in one write. Rare, and never the same thing over and over:
 * the caller sees to that.
 */
#ifndef RT_HOST_MESSAGE_H
#define RT_HOST_MESSAGE_H

#include <stdarg.h>

#include "base/compiler.h"
#include "rt/host/line.h"

/* Any thread, any signal handler; keeps errno. `fmt` as of waymark_line_put(), no newline. */
void waymark_message(const char *fmt, ...) PRINTF(1, 2);

/* The same in two steps: makes the line, whole; then says it. */
void waymark_message_make(struct line *l, const char *fmt, va_list ap) PRINTF(2, 0);
void waymark_message_say(const char *line, size_t length);

#endif
