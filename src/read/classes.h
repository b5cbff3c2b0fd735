/* SPDX-License-Identifier: MIT */
/*
 * The event classes of one trace: found by the numbers in its records, made once
 * for each name. A number may be bound to another name later (a module was
 * reloaded); a name keeps its class, unless the trace declares it in several
 * ways. One thread.
 */
#ifndef READ_CLASSES_H
#define READ_CLASSES_H

#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "read/record.h"

struct class_table {
	struct arena arena;
	VEC(struct event_class *) all; /* by index */
	VEC(struct event_class *) by_id; /* small numbers; NULL: not bound */
	struct hash by_far_id; /* the others, as text */
	struct hash by_name;
};

void classes_init(struct class_table *t);
void classes_fini(struct class_table *t);

/* Returns the class of that name. *created: it is new, and has no event yet. */
struct event_class *classes_make(
	struct class_table *t, const char *name, size_t length, bool *created);

/* Adds another class of that name, for traces that may declare a name in several ways. */
struct event_class *classes_add(struct class_table *t, const char *name);

/* Binds `id` to the class, for all later records. */
void classes_bind(struct class_table *t, uint64_t id, struct event_class *class);

/* Returns the class with the name of one of another reader; NULL: there is none. */
struct event_class *classes_like(const struct class_table *t, const struct event_class *other);

/* Returns the class of a number that is not in the array. For classes_get(). */
struct event_class *classes_far(const struct class_table *t, uint64_t id);

/* Returns the class that `id` is bound to, or NULL. */
static inline struct event_class *classes_get(const struct class_table *t, uint64_t id)
{
	return LIKELY(id < t->by_id.count) ? t->by_id.items[id] : classes_far(t, id);
}

#endif
