/* SPDX-License-Identifier: MIT */
/* Shared by the front ends: the growing argument list, and the final steps for every event. */
#include "decl/front_end.h"

#include <string.h>

#include "model/check.h"
#include "model/name.h"

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
		return "it is not one of the types listed above";
	}
	d->has_listed = true;
	return all;
}

/*
 * C99 compilers must accept a string of 4095 characters: name, format, arguments and meaning are
 * one, and the length modifiers of a format need some more.
 */
#define TEXTS_MAX 4000

static bool check_size(struct front_end *fe, const struct event *e)
{
	size_t size = e->meaning ? strlen(e->meaning) : 0;

	size += e->format.source ? strlen(e->format.source) : 0;
	for (size_t i = 0; size > 0 && i < e->arg_count; i++) {
		size += strlen(e->args[i].name) + strlen(e->args[i].type.text) + 2;
	}
	if (size <= TEXTS_MAX) {
		return true;
	}
	diag_error(fe->rules, e->format.source ? e->format.at : e->at, "split the event",
		"format, arguments and meaning have %zu bytes: at most %d are sure to compile",
		size, TEXTS_MAX);
	return false;
}

bool decl_check_format(struct front_end *fe, struct event *e)
{
	struct arena *a = &fe->model->arena;

	if (!check_format(e, a, fe->rules)) {
		format_drop(&e->format);
		return false;
	}
	return fe->lenient || (check_lengths(e, a, fe->rules) && check_size(fe, e));
}

struct event *decl_add_event(struct front_end *fe, const struct event *e)
{
	struct model *m = fe->model;
	struct event *added = arena_new(&m->arena, struct event);

	*added = *e;
	added->upper = name_upper(&m->arena, e->name);
	name_assign_c(&m->arena, added);
	vec_push(&m->events, added);
	hash_add(&m->by_name, added->name, added);
	return added;
}
