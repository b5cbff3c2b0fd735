/* SPDX-License-Identifier: MIT */
/*
 * The rules between the parts of an event that hold for every front end. They
 * report to a sink, which may be NULL, and return false after an error.
 */
#ifndef MODEL_CHECK_H
#define MODEL_CHECK_H

#include <stdbool.h>

#include "model/event.h"
#include "text/diag.h"

/*
 * Checks that the format can print the arguments at all: as many conversions as
 * arguments, strings by %s, pointers by %p, integers by the others. An event
 * without a format is always right. `a` holds texts of messages. Call it before
 * a scope gets the argument that is not declared.
 */
bool check_format(const struct event *e, struct arena *a, struct diag *d);

/*
 * Checks that each conversion has the length of its argument. A length that is
 * wrong on ILP32 and LP64 hosts alike is an error; one that is wrong on one of
 * them is a warning; so no verdict depends on where it is made. Signedness is
 * not checked, as C compilers do not. Call only when check_format() agrees.
 */
bool check_lengths(const struct event *e, struct arena *a, struct diag *d);

#endif
