/* SPDX-License-Identifier: MIT */
/* Creates and frees a model; has its index by name, and functions for the arguments of an event. */
#include "model/event.h"

#include <string.h>

void model_init(struct model *m)
{
	*m = (struct model){ 0 };
	arena_init(&m->arena);
	hash_init(&m->by_name);
}

void model_fini(struct model *m)
{
	hash_fini(&m->by_name);
	vec_fini(&m->events);
	arena_fini(&m->arena);
}

struct event *model_find(const struct model *m, const char *name)
{
	return hash_get(&m->by_name, name);
}

int event_find_arg(const struct event *e, const char *name, size_t length)
{
	for (size_t i = 0; i < e->arg_count; i++) {
		const char *own = e->args[i].name;

		if (strlen(own) == length && memcmp(own, name, length) == 0) {
			return (int)i;
		}
	}
	return -1;
}

void event_insert_arg(struct arena *a, struct event *e, size_t at, const struct arg *arg)
{
	struct arg *args = arena_array(a, struct arg, e->arg_count + 1);

	for (size_t i = 0; i < e->arg_count; i++) {
		args[i + (i >= at)] = e->args[i];
	}
	args[at] = *arg;
	e->args = args;
	e->arg_count++;
}
