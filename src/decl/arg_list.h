/* SPDX-License-Identifier: MIT */
/* What the front ends share of reading arguments: the list that grows, and what holds of all. */
#ifndef DECL_ARG_LIST_H
#define DECL_ARG_LIST_H

#include "base/vec.h"
#include "decl/front_end.h"
#include "text/scan.h"

/* The arguments of one event so far; all zero: none. */
struct arg_list {
	VEC(struct arg) all;
};

/* Whether no argument has that name yet; reports it at `at` where one has. */
bool arg_list_is_new(
	const struct arg_list *list, struct span name, struct location at, struct diag *d);

/* Adds a copy of the argument, called `name`. */
void arg_list_add(struct arg_list *list, struct arena *a, struct arg *arg, struct span name);

/* Makes the list the event's arguments, and frees it. */
void arg_list_move(struct arg_list *list, struct arena *a, struct event *e);

/* The help of a type that is not allowed: `all` names those that are, and a run shows it once. */
const char *arg_type_help(struct diag *d, const char *all);

#endif
