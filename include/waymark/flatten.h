/* SPDX-License-Identifier: MIT */
/*
 * waymark/flatten.h - what callbacks say of their objects, made a value that can be recorded:
 * before the record is begun, because a callback may take its time, and fire events. For
 * generated code: the function that waits does this first, where an event has an argument
 * of type struct waymark_debug.
 *
 *	struct waymark_trees trees;
 *
 *	waymark_trees_begin(&trees);
 *	waymark_flatten(&trees, &waymark_event_x, 2, &request);
 *	... waymark_record_open(), the arguments, waymark_record_end() ...
 *	waymark_trees_end(&trees);
 *
 * All that waymark_debug_is_call() is true of needs it; the function that does not wait gives
 * up there. No value of the event may be used after waymark_trees_end().
 */
#ifndef WAYMARK_FLATTEN_H
#define WAYMARK_FLATTEN_H

#include <waymark/debug.h>
#include <waymark/descriptor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the trees of one event have on the stack; what needs more is mapped. */
#define WAYMARK_TREES_ROOM 1000u

/* Where the trees of one event are. */
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

/* Whether a value has to be flattened: what is no kind of value at all, too. */
static inline bool waymark_debug_is_call(const struct waymark_debug *v)
{
	return v->kind > WAYMARK_DEBUG_TREE;
}

#pragma GCC visibility push(default)

/*
 * The same where the value needs it, calls, and unmaps. Of the value a WAYMARK_DEBUG_TREE is
 * made, cut where a whole record would not hold it. `placeholder` is which of the message's,
 * from 0, shows the value: callbacks may ask how they are shown. Keep errno. Any thread;
 * async-signal-safe as far as the callback is.
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
