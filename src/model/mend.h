/* SPDX-License-Identifier: MIT */
/*
 * Proposals for messages about a wrong format: the conversion that fits an argument, or a whole
 * line with a correction. Never part of the model.
 */
#ifndef MODEL_MEND_H
#define MODEL_MEND_H

#include <stdbool.h>

#include "base/arena.h"
#include "model/event.h"
#include "text/scan.h"

#define MEND_PERCENT "write %% for a percent sign"

#define MEND_STAR "declare an 'int' for the '*', before what is printed, or remove the '*'"

/* True if a conversion has an argument for its width or precision: `%.*s`. */
bool mend_is_star(struct location at);

/* True if a conversion's `%` may be meant as text: `100% of`. */
bool mend_is_percent(struct location at);

/* Returns the conversion for a type, `%u`, `%s`, `%" PRIu64`; in hexadecimal if wanted. */
const char *mend_conversion(struct arena *a, const struct type *t, bool is_hex);

/* Returns the conversion `c` with the length, and `d` or `u`, that fit the type. */
const char *mend_length(struct arena *a, const struct conversion *c, const struct type *t);

/* Returns a help text with the replacement for `c`, which cannot print the argument. */
const char *mend_class(
	struct arena *a, const struct conversion *c, const struct arg *arg, bool is_hex);

/* Returns a help text with the declaration's line and an int as argument `index`. */
const char *mend_star(struct arena *a, const struct event *e, int index);

/* Returns a help text with that line and the length of a `%.*s` as an int before its text. */
const char *mend_order(struct arena *a, const struct event *e, const struct conversion *c);

/*
 * Returns a help text with the declaration's line and a letter added to every conversion without
 * one; NULL if the conversions do not match the arguments of `e`, which may be NULL. `format` is
 * the scanner at the format.
 */
const char *mend_letters(struct arena *a, const struct event *e, const struct scan *format);

#endif
