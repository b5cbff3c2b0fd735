/* SPDX-License-Identifier: MIT */
/*
 * An expression that selects events by their fields, see expr/expr.h. It is bound to each event
 * class when its first record comes. Belongs to one reader. One thread.
 *
 * Names are fields; and of every event `@event`, `@time` in ns since boot, `@pid`, `@tid`,
 * `@process`, `@host`.
 */
#ifndef READ_WHERE_H
#define READ_WHERE_H

#include <stdbool.h>

#include "expr/expr.h"
#include "read/reader.h"

struct where;

/* Parses the expression. Returns NULL with the error. Keeps no pointer to `text`. */
struct where *where_parse(const char *text, struct expr_error *error);
void where_free(struct where *w);

/* Restarts with another reader of the same traces. */
void where_restart(struct where *w);

/* True if the expression can be true for events of a class, of any reader. */
bool where_fits(const struct where *w, const struct event_class *class);

/* True if the expression is true for an event. */
bool where_passes(struct where *w, struct reader *r, const struct record *rec);

/*
 * True if it is false for an event that has all names of the expression; of others, such as the end
 * of a scope, it says nothing.
 */
bool where_refuses(struct where *w, struct reader *r, const struct record *rec);

/*
 * Returns false, with the error, if the expression fits none of the events of the reader: no
 * event has the field, or it cannot be compared like that. `misfit` gets the name of an event that
 * it does not fit, or NULL. Without any events returns true.
 */
bool where_check(struct where *w, struct reader *r, struct expr_error *error, const char **misfit);

/*
 * Returns a decoded argument as an expression's value; EXPR_NONE if it is absent, or has no number
 * or text.
 */
struct expr_value where_value(const struct type *t, const struct value *value);

const char *where_text(const struct where *w);

#endif
