/* SPDX-License-Identifier: MIT */
/*
 * The event classes of one trace: found by the numbers that its records carry,
 * made once for each name. A number can come to mean another name later (a
 * module was reloaded); a name has one class for good, unless the trace itself
 * declares it in several ways.
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
	VEC(struct event_class *) by_id; /* small numbers; NULL where none is bound */
	struct hash by_far_id; /* the others, as text */
	struct hash by_name;
};

void classes_init(struct class_table *t);
void classes_fini(struct class_table *t);

/* The class of that name; `created` says whether it is new, and has no event yet. */
struct event_class *classes_make(
	struct class_table *t, const char *name, size_t length, bool *created);

/* Another class of that name, for traces in which a name can be declared in several ways. */
struct event_class *classes_add(struct class_table *t, const char *name);

/* From now on, records that carry `id` belong to `class`. */
void classes_bind(struct class_table *t, uint64_t id, struct event_class *class);

struct event_class *classes_far(const struct class_table *t, uint64_t id);

/* The class that `id` is bound to, or NULL. */
static inline struct event_class *classes_get(const struct class_table *t, uint64_t id)
{
	return LIKELY(id < t->by_id.count) ? t->by_id.items[id] : classes_far(t, id);
}

#endif
