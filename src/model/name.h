/* SPDX-License-Identifier: MIT */
/*
 * The names that events and arguments may have. A name stays as declared in traces
 * and readers; where C or C++ would trip over an argument's name, only the C
 * signature gets another one.
 */
#ifndef MODEL_NAME_H
#define MODEL_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "model/event.h"
#include "text/diag.h"
#include "text/scan.h"

/* Reports a name at `at` that no event can have. Returns true for a good one. */
bool name_check_event(struct span name, struct location at, struct diag *d);

/* Reports a name that no argument can have. */
bool name_check_arg(struct span name, struct location at, struct diag *d);

/* True when C and C++ leave the name to programs: no keyword, no type, no macro that is known. */
bool name_is_free(const char *name);

/*
 * Gives each argument its c_name: unique among them, no keyword of C or C++, no
 * macro that is known here or written in capitals, and no name that generated
 * code has for itself: `waymark_...`, and `..._<event>` of a function.
 */
void name_assign_c(struct arena *a, struct event *e);

/* The name in capital letters, as in TRACE_NAME_ENABLED. */
const char *name_upper(struct arena *a, const char *name);

#endif
