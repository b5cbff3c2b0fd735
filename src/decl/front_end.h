/* SPDX-License-Identifier: MIT */
/*
 * Shared by the front ends and private to them: the state of one decl_read(), the arguments of an
 * event while they are read, and the final steps for every event. A front end is a function that
 * reads `source` and calls decl_add_event() for each event, in order.
 */
#ifndef DECL_FRONT_END_H
#define DECL_FRONT_END_H

#include "base/vec.h"
#include "decl/decl.h"
#include "text/scan.h"

struct front_end {
	struct model *model;
	struct diag *diag; /* faults that make a declaration unusable */
	struct diag *rules; /* faults that a lenient reader accepts; NULL for such a reader */
	const struct source *source;
	size_t max_args;
	bool lenient;
	bool old;
};

/* The arguments of an unfinished event; all zero: none. */
struct arg_list {
	VEC(struct arg) all;
};

/* Returns true if no argument has that name yet; else reports it at `at`. */
bool arg_list_is_new(
	const struct arg_list *list, struct span name, struct location at, struct diag *d);

/* Adds a copy of the argument, named `name`. */
void arg_list_add(struct arg_list *list, struct arena *a, struct arg *arg, struct span name);

/* Moves the list to the event's arguments, and frees it. */
void arg_list_move(struct arg_list *list, struct arena *a, struct event *e);

/*
 * Returns the help of a type that is not allowed. `all` lists the allowed ones; a run shows it
 * once.
 */
const char *arg_type_help(struct diag *d, const char *all);

/*
 * Checks a format against the arguments. Returns false if it cannot print them; then the event
 * keeps only its text.
 */
bool decl_check_format(struct front_end *fe, struct event *e);

/* Completes `e` with derived data and adds a copy to the model; returns the copy. */
struct event *decl_add_event(struct front_end *fe, const struct event *e);

/* The front ends. */
void decl_read_qemu(struct front_end *fe);
void decl_read_toml(struct front_end *fe);

#endif
