/* SPDX-License-Identifier: MIT */
/* What options choose of the backend `ftrace`, called by control, one at a time. */
#ifndef RT_TEXT_FTRACE_H
#define RT_TEXT_FTRACE_H

#include <stdbool.h>
#include <stdint.h>

#include <waymark/control.h>

/* Chooses a style that ftrace.style= knows; events from now on have it. */
void waymark_ftrace_choose_style(const char *name);

/* Whether a buffer of the kernel may have that name. */
bool waymark_ftrace_is_instance(const char *name);

/*
 * Names the buffer of the kernel that events go to, which `is_instance` allowed.
 * Not after the first event, see waymark_ftrace_has_begun().
 */
void waymark_ftrace_set_instance(const char *name);

#endif
