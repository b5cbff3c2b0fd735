/* SPDX-License-Identifier: MIT */
/*
 * What a thread decides before an event is recorded: whether the event's condition is true. The
 * condition of an event is found by its id, so one exists only for an event with an id.
 *
 * Changed under the control lock while threads evaluate. A thread enters its slot, loads the
 * decision, evaluates it, and leaves the slot (record/cursor.h). A decision that was replaced is
 * freed by a later change: when GRACE_NS have passed, after which every processor sees the new one,
 * and each slot has been seen outside since.
 */
#ifndef RT_EVENT_DECISION_H
#define RT_EVENT_DECISION_H

#include <waymark/record.h>

#include "rt/event/field.h"
#include "rt/event/registry.h"

/* A condition as text, parsed: of a rule, for any event. */
struct condition;

/* Parses a condition. Returns NULL, with the reason, if it is wrong. */
struct condition *waymark_condition_new(const char *text, struct waymark_error *error);
void waymark_condition_free(struct condition *c);

const char *waymark_condition_text(const struct condition *c);

/* Returns true if the two are the same text. NULL: no condition. */
bool waymark_condition_same(const struct condition *a, const struct condition *b);

/*
 * Returns true if the condition fits the event: all names are fields or values of it, and the types
 * fit. Otherwise false, with the reason.
 */
bool waymark_condition_fits(
	const struct condition *c, const struct waymark_event *event, struct waymark_error *error);

/* The condition of one event. */
struct decision {
	struct expr_program *program;
	struct fields fields; /* the names of values that the program compares */
	struct decision *next; /* retired before */
	uint64_t retired_ns;
	char text[];
};

/* By id. Stored under the control lock, by release. */
extern struct decision *waymark_decisions[REGISTRY_IDS_MAX];

/*
 * Makes the condition that of the event, which has an id. Threads evaluate the former one or the
 * new one. Returns false, and changes nothing, if memory ran out or the condition does not fit.
 * Under the control lock.
 */
bool waymark_decision_set(const struct waymark_event *event, const struct condition *c);

/* Frees decisions that no thread evaluates any more. Under the control lock. */
void waymark_decision_collect(void);

/* Returns the event's condition, "" if it has none. Under the control lock. */
const char *waymark_decision_text(const struct waymark_event *event);

/* Returns the event's decision; NULL: none. The caller is inside its slot. */
static inline const struct decision *decision_of(const struct waymark_event *event)
{
	return __atomic_load_n(&waymark_decisions[event->id], __ATOMIC_ACQUIRE);
}

#endif
