/* SPDX-License-Identifier: MIT */
/*
 * Finds classes by number, in an array and, for numbers too large for any tracer, a hash, and by
 * name.
 */
#include "read/classes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "format/own_events.h"

/* Larger numbers go into the hash: a damaged mapping must not cost gigabytes. */
#define NEAR_IDS UINT64_C(65536)

/* A value of the hash of far numbers. The hash keeps the pointer, so the class can change. */
struct binding {
	struct event_class *class;
};

void classes_init(struct class_table *t)
{
	*t = (struct class_table){ 0 };
	arena_init(&t->arena);
	hash_init(&t->by_far_id);
	hash_init(&t->by_name);
}

void classes_fini(struct class_table *t)
{
	vec_fini(&t->all);
	vec_fini(&t->by_id);
	hash_fini(&t->by_far_id);
	hash_fini(&t->by_name);
	arena_fini(&t->arena);
}

struct event_class *classes_add(struct class_table *t, const char *name)
{
	struct event_class *class = arena_new(&t->arena, struct event_class);

	class->name = arena_strdup(&t->arena, name);
	class->index = t->all.count;
	class->payload_size = PAYLOAD_VARIES;
	class->is_own = strncmp(name, OWN_PREFIX, strlen(OWN_PREFIX)) == 0;
	vec_push(&t->all, class);
	return class;
}

struct event_class *classes_make(
	struct class_table *t, const char *name, size_t length, bool *created)
{
	char *copy = arena_strndup(&t->arena, name, length);
	struct event_class *class = hash_get(&t->by_name, copy);

	*created = !class;
	if (*created) {
		class = classes_add(t, copy);
		hash_add(&t->by_name, class->name, class);
	}
	return class;
}

struct event_class *classes_like(const struct class_table *t, const struct event_class *other)
{
	/* Readers of the same traces mostly meet the classes in the same order. */
	if (other->index < t->all.count &&
		strcmp(t->all.items[other->index]->name, other->name) == 0) {
		return t->all.items[other->index];
	}
	return hash_get(&t->by_name, other->name);
}

void classes_bind(struct class_table *t, uint64_t id, struct event_class *class)
{
	if (id >= NEAR_IDS) {
		char *key = arena_printf(&t->arena, "%" PRIx64, id);
		struct binding *binding = arena_new(&t->arena, struct binding);

		binding = hash_add(&t->by_far_id, key, binding);
		binding->class = class;
		return;
	}
	vec_reach(&t->by_id, id);
	t->by_id.items[id] = class;
}

struct event_class *classes_far(const struct class_table *t, uint64_t id)
{
	char key[24];

	if (id < NEAR_IDS || t->by_far_id.count == 0) {
		return NULL;
	}
	snprintf(key, sizeof(key), "%" PRIx64, id);
	const struct binding *binding = hash_get(&t->by_far_id, key);

	return binding ? binding->class : NULL;
}
