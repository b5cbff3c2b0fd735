/* SPDX-License-Identifier: MIT */
/*
 * Proposals in messages about a wrong format: the conversion that suits
 * an argument, and a whole line mended. Never part of the model itself.
 */
#ifndef MODEL_MEND_H
#define MODEL_MEND_H

#include <stdbool.h>

#include "base/arena.h"
#include "model/event.h"
#include "text/scan.h"

#define MEND_PERCENT "write %% for a percent sign"

#define MEND_STAR "declare an 'int' for the '*', before what is printed, or remove the '*'"

/* `%.*s`: whether a conversion takes an argument for its width or precision. */
bool mend_is_star(struct location at);

/* `100% of`: whether what was read as a conversion, at its `%`, may be meant as text. */
bool mend_is_percent(struct location at);

/* How a format prints a type: `%u`, `%s`, `%" PRIu64`; in hexadecimal if wanted. */
const char *mend_conversion(struct arena *a, const struct type *t, bool is_hex);

/* The conversion `c` with the length, and `d` or `u`, that the type needs. */
const char *mend_length(struct arena *a, const struct conversion *c, const struct type *t);

/* What to write in the place of `c`, which cannot print the argument, as a help text. */
const char *mend_class(
	struct arena *a, const struct conversion *c, const struct arg *arg, bool is_hex);

/* The declaration's line with an int in the place of argument `index`, as a help text. */
const char *mend_star(struct arena *a, const struct event *e, int index);

/* The same with the length of a `%.*s` as an int before the text that it follows. */
const char *mend_order(struct arena *a, const struct event *e, const struct conversion *c);

/*
 * The declaration's line with a letter added to every conversion that has none,
 * as a help text; NULL when the conversions do not match the arguments of `e`,
 * which may be NULL. `format` is the scanner at the format.
 */
const char *mend_letters(struct arena *a, const struct event *e, const struct scan *format);

#endif
