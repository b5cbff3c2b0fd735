/* SPDX-License-Identifier: MIT */
/*
 * How far an event may read what a `char *` argument points to: as far as printf
 * does. Behind that there may be no NUL, memory of somebody else, or none.
 */
#ifndef EMIT_C_STRING_H
#define EMIT_C_STRING_H

#include "emit/emit.h"

/* What prints an argument; NULL: nothing does. */
const struct conversion *c_conversion(const struct event *e, size_t arg);

/* True for a string of which only the address is printed: nothing of it may be read. */
bool c_is_address(const struct event *e, size_t arg);

/* The int that says how many bytes of a string are read at most: `4`, `n`; NULL: up to its NUL. */
const char *c_precision(struct emit_context *c, const struct event *e, size_t arg);

#endif
