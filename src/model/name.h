/* SPDX-License-Identifier: MIT */
/*
 * The names that events and arguments may have. A name stays as declared in traces and readers.
 * Only the C signature uses another name for an argument whose name is a problem in C or C++.
 */
#ifndef MODEL_NAME_H
#define MODEL_NAME_H

#include <stdbool.h>

#include "model/event.h"
#include "text/diag.h"
#include "text/scan.h"

/* Reports a name at `at` that no event may have. Returns true for a valid one. */
bool name_check_event(struct span name, struct location at, struct diag *d);

/* Reports a name that no argument may have. Returns true for a valid one. */
bool name_check_arg(struct span name, struct location at, struct diag *d);

/* True if C and C++ leave the name to programs: no keyword, no type, no known macro. */
bool name_is_free(const char *name);

/*
 * Sets the c_name of each argument: unique in the event, no keyword of C or C++, no macro that is
 * known here or has only capitals, and no name that generated code uses: `waymark_...`, and
 * `..._<event>` of a function.
 */
void name_assign_c(struct arena *a, struct event *e);

/* Returns the name in capital letters, as in TRACE_NAME_ENABLED. */
const char *name_upper(struct arena *a, const char *name);

#endif
