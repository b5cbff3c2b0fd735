/* SPDX-License-Identifier: MIT */
/* The model's life and its index by name. */
#include "model/event.h"

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
