/* SPDX-License-Identifier: MIT */
/*
 * The rules about the parts of an event that apply in every front end. They report to a sink, which
 * may be NULL, and return false after an error.
 */
#ifndef MODEL_CHECK_H
#define MODEL_CHECK_H

#include <stdbool.h>

#include "model/event.h"
#include "text/diag.h"

/*
 * Checks that the format can print the arguments: the number of conversions is that of the
 * arguments, strings have %s, pointers %p, integers other conversions. An event without a format is
 * always valid. `a` holds texts of messages. Call it before a scope gets its undeclared argument.
 */
bool check_format(const struct event *e, struct arena *a, struct diag *d);

/*
 * Checks that each conversion has the length of its argument. A length that is wrong on both ILP32
 * and LP64 hosts is an error; one that is wrong on one of them is a warning. So no result depends
 * on the host that checks. Signedness is not checked, as C compilers do not check it. Call only if
 * check_format() returned true.
 */
bool check_lengths(const struct event *e, struct arena *a, struct diag *d);

#endif
