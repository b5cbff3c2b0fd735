/* SPDX-License-Identifier: MIT */
/*
 * waymark/flatten.h - calls the callbacks of values and keeps their result as a value that can be
 * recorded. This happens before the record is begun, because a callback may take long and may fire
 * events. For generated code: the function that waits does this first if the event has an argument
 * of type struct waymark_debug.
 *
 *	struct waymark_trees trees;
 *
 *	waymark_trees_begin(&trees);
 *	waymark_flatten(&trees, &waymark_event_x, 2, &request);
 *	... waymark_record_open(), the arguments, waymark_record_end() ...
 *	waymark_trees_end(&trees);
 *
 * Values for which waymark_debug_is_call() is true need it; the function that does not wait fails
 * for them. No value of the event may be used after waymark_trees_end().
 */
#ifndef WAYMARK_FLATTEN_H
#define WAYMARK_FLATTEN_H

#include <waymark/debug.h>
#include <waymark/descriptor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes on the stack for the trees of one event; larger trees are mapped. */
#define WAYMARK_TREES_ROOM 1000u

/* Memory for the trees of one event. */
struct waymark_trees {
	void *mapped; /* WAYMARK_RECORD_MAX bytes; NULL: none */
	uint32_t used; /* of the room */
	uint32_t mapped_used;
	char room[WAYMARK_TREES_ROOM];
};

static inline void waymark_trees_begin(struct waymark_trees *t)
{
	t->mapped = NULL;
	t->used = 0;
	t->mapped_used = 0;
}

/* Returns true if a value must be flattened, also for unknown kinds. */
static inline bool waymark_debug_is_call(const struct waymark_debug *v)
{
	return v->kind > WAYMARK_DEBUG_TREE;
}

#pragma GCC visibility push(default)

/*
 * The slow parts of waymark_flatten() and waymark_trees_end(). The first calls the callback and
 * replaces the value by a WAYMARK_DEBUG_TREE, which is cut if it does not fit into a record.
 * `placeholder`: the number, from 0, of the message's placeholder that prints the value, because
 * callbacks may query its format. Both keep errno. Any thread; as async-signal-safe as the
 * callback.
 */
void waymark_flatten_call(struct waymark_trees *t, const struct waymark_event *event,
	unsigned int placeholder, struct waymark_debug *value) WAYMARK_COLD;
void waymark_trees_unmap(struct waymark_trees *t) WAYMARK_COLD;

#pragma GCC visibility pop

static inline void waymark_flatten(struct waymark_trees *t, const struct waymark_event *event,
	unsigned int placeholder, struct waymark_debug *value)
{
	if (waymark_debug_is_call(value)) {
		waymark_flatten_call(t, event, placeholder, value);
	}
}

static inline void waymark_trees_end(struct waymark_trees *t)
{
	if (t->mapped) {
		waymark_trees_unmap(t);
	}
}

#ifdef __cplusplus
}
#endif

#endif
