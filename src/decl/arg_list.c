/* SPDX-License-Identifier: MIT */
/* See decl/arg_list.h. */
#include "decl/arg_list.h"

#include <string.h>

bool arg_list_is_new(
	const struct arg_list *list, struct span name, struct location at, struct diag *d)
{
	vec_foreach (struct arg *, arg, &list->all) {
		if (span_equals(name, arg->name)) {
			diag_error(d, at, "give each argument its own name",
				"two arguments are called '%.*s'", SPAN_ARGS(name));
			return false;
		}
	}
	return true;
}

void arg_list_add(struct arg_list *list, struct arena *a, struct arg *arg, struct span name)
{
	arg->name = arena_strndup(a, name.text, name.len);
	vec_push(&list->all, *arg);
}

void arg_list_move(struct arg_list *list, struct arena *a, struct event *e)
{
	e->arg_count = list->all.count;
	e->args = arena_array(a, struct arg, e->arg_count);
	if (e->arg_count > 0) {
		memcpy(e->args, list->all.items, e->arg_count * sizeof(*e->args));
	}
	vec_fini(&list->all);
}

const char *arg_type_help(struct diag *d, const char *all)
{
	if (d->has_listed) {
		return "it is none of the types that are listed above";
	}
	d->has_listed = true;
	return all;
}
