/* SPDX-License-Identifier: MIT */
/*
 * Calls the callbacks of values and keeps their result as a value that can be recorded. This
 * happens before the record is begun, because a callback may take long and may fire events.
 *
 *	struct waymark_trees trees;
 *
 *	trees_begin(&trees);
 *	flatten(&trees, event, 2, &value);
 *	... waymark_record_begin(), the arguments, waymark_record_end() ...
 *	trees_end(&trees);
 *
 * Values for which waymark_debug_is_call() is true need it. No value of the event may be used after
 * trees_end().
 */
#ifndef RT_TEXT_FLATTEN_H
#define RT_TEXT_FLATTEN_H

#include <waymark/record.h>

#include "base/compiler.h"

/* Bytes on the stack for the trees of one event; larger trees are mapped. */
#define WAYMARK_TREES_ROOM 1000u

/* Memory for the trees of one event. */
struct waymark_trees {
	void *mapped; /* WAYMARK_RECORD_MAX bytes; NULL: none */
	uint32_t used; /* of the room */
	uint32_t mapped_used;
	char room[WAYMARK_TREES_ROOM];
};

static inline void trees_begin(struct waymark_trees *t)
{
	t->mapped = NULL;
	t->used = 0;
	t->mapped_used = 0;
}

/*
 * waymark_flatten_call() calls the callback and replaces the value by a WAYMARK_DEBUG_TREE, which
 * is cut if it does not fit into a record. `placeholder`: the number, from 0, of the message's
 * placeholder that prints the value, because callbacks may query its format.
 * waymark_trees_unmap() frees mapped trees. Both keep errno. Any thread; as async-signal-safe as
 * the callback.
 */
void waymark_flatten_call(struct waymark_trees *t, const struct waymark_event *event,
	unsigned int placeholder, struct waymark_debug *value) COLD;
void waymark_trees_unmap(struct waymark_trees *t) COLD;

static inline void flatten(struct waymark_trees *t, const struct waymark_event *event,
	unsigned int placeholder, struct waymark_debug *value)
{
	if (waymark_debug_is_call(value)) {
		waymark_flatten_call(t, event, placeholder, value);
	}
}

static inline void trees_end(struct waymark_trees *t)
{
	if (t->mapped) {
		waymark_trees_unmap(t);
	}
}

#endif
