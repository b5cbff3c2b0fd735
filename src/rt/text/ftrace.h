/* SPDX-License-Identifier: MIT */
/* Options of the backend `ftrace`. Called by control, one thread at a time. */
#ifndef RT_TEXT_FTRACE_H
#define RT_TEXT_FTRACE_H

#include <stdbool.h>
#include <stdint.h>

#include <waymark/control.h>

/* Chooses a style of ftrace.style= for all later events. */
void waymark_ftrace_choose_style(const char *name);

/* Returns true if a buffer of the kernel may have that name. */
bool waymark_ftrace_is_instance(const char *name);

/*
 * Sets the kernel's buffer for events, by a name that waymark_ftrace_is_instance() allows. Call it
 * before the first event, see waymark_ftrace_has_begun().
 */
void waymark_ftrace_set_instance(const char *name);

#endif
