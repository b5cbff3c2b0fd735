/* SPDX-License-Identifier: MIT */
/*
 * What a thread decides before an event is recorded: whether its condition is true, and whether its
 * limits let it pass. The decision of an event is found by its id, so one exists only for an event
 * with an id.
 *
 * Changed under the control lock while threads evaluate. A thread enters its slot, loads the
 * decision, evaluates it, and leaves the slot (record/cursor.h). One that was replaced is freed
 * later (retired.h).
 */
#ifndef RT_EVENT_DECISION_H
#define RT_EVENT_DECISION_H

#include <waymark/record.h>

#include "base/compiler.h"
#include "rt/event/registry.h"
#include "rt/event/retired.h"
#include "rt/event/state.h"
#include "rt/event/terms.h"

struct decision {
	struct retired retired;
	const struct expr_program *program; /* of the condition */
	struct limits *limits; /* NULL: none */
	struct field_ref sampled; /* the field by which calls are sampled */
	struct field_ref paired; /* that by which they are paired */
	struct pairing *pairing; /* of elapsed() in the condition; NULL: none */
	uint32_t serial; /* different from other decisions; not 0 */
	uint64_t first_passed; /* calls that `first` let pass, or more; by atomic addition */
	struct fields fields; /* the names of values that the program compares */
	char condition[]; /* its text; "": none */
};

struct watch;
struct watches;

/* The ways to decide, from the quickest on; each finds by itself whether it still applies. */
enum decide_way {
	DECIDE_FIRST, /* the first test of a condition decides alone */
	DECIDE_INTEGERS, /* a condition that begins with a test of an integer does */
	DECIDE_COUNT, /* the call is only counted, whatever its values; */
	DECIDE_VALUE, /* the same, and one of its values is added up */
	DECIDE_WATCH, /* the event has one watch, and no condition */
	DECIDE_ALL,
};

/*
 * What is decided about calls of an event. Never freed, so that a thread finds it without a mark. A
 * call that the first test of the condition decides is decided without one, too: the test is copied
 * here, as the range of values that it refuses, under a sequence lock, whose `turn` is odd while
 * there is no such test, or control changes it. Atomic, relaxed if nothing else is said; stored
 * under the control lock.
 */
struct decided {
	uint32_t turn; /* by acquire and release */
	uint16_t word;
	uint8_t way; /* of enum decide_way */
	uint64_t mask; /* these four: as of struct expr_test; values in the range are refused */
	uint64_t low;
	uint64_t width;
	uint64_t span;
	struct decision *decision; /* by release; NULL: none */
	struct watches *watches; /* by release; NULL: none; trigger.h */
	struct watch *alone; /* by release; the only one; NULL: none, or several */
};

/* By id; NULL: nothing was ever decided. Stored under the control lock, by release. */
extern struct decided *waymark_decided[REGISTRY_IDS_MAX];

/*
 * Returns what is decided about an event in whose mask WAYMARK_CONDITIONAL was; otherwise it may be
 * NULL. Any thread, any signal handler.
 */
static inline struct decided *decided_of(const struct waymark_event *event)
{
	return __atomic_load_n(&waymark_decided[event->id], __ATOMIC_ACQUIRE);
}

/* The caller is inside its slot while it uses the result of these three. NULL: none. */
static inline struct decision *decided_decision(const struct decided *d)
{
	return __atomic_load_n(&d->decision, __ATOMIC_ACQUIRE);
}

static inline const struct watches *decided_watches(const struct decided *d)
{
	return __atomic_load_n(&d->watches, __ATOMIC_ACQUIRE);
}

static inline const struct watch *decided_alone(const struct decided *d)
{
	return __atomic_load_n(&d->alone, __ATOMIC_ACQUIRE);
}

enum first_test { FIRST_REFUSES, FIRST_PASSES, FIRST_UNDECIDED };

/* Does the first test of the condition. Any thread, any signal handler. */
static inline enum first_test decided_first(const struct decided *d, const uint64_t *words)
{
	uint32_t turn = __atomic_load_n(&d->turn, __ATOMIC_ACQUIRE);

	if (turn & 1) {
		return FIRST_UNDECIDED;
	}
	uint64_t value = words[__atomic_load_n(&d->word, __ATOMIC_RELAXED)] &
			 __atomic_load_n(&d->mask, __ATOMIC_RELAXED);
	uint64_t distance = (value - __atomic_load_n(&d->low, __ATOMIC_RELAXED)) &
			    __atomic_load_n(&d->width, __ATOMIC_RELAXED);
	bool refuses = distance <= __atomic_load_n(&d->span, __ATOMIC_RELAXED);
	bool is_alone = __atomic_load_n(&d->way, __ATOMIC_RELAXED) == DECIDE_FIRST;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (UNLIKELY(__atomic_load_n(&d->turn, __ATOMIC_RELAXED) != turn)) {
		return FIRST_UNDECIDED;
	}
	return LIKELY(refuses) ? FIRST_REFUSES : is_alone ? FIRST_PASSES : FIRST_UNDECIDED;
}

/* Returns the backends that the decision is about. */
static inline unsigned int decided_open(const struct waymark_event *event, unsigned int on)
{
	return state_conditional(event, on) & ~on;
}

/*
 * Returns the backends that take the call. If control has changed the event since the thread loaded
 * the mask, so that nothing is left to decide, these are the ones of the event's present state.
 */
static inline unsigned int decided_taken(
	const struct waymark_event *event, unsigned int on, unsigned int open, bool passes)
{
	if (!open) {
		on |= state_get(event);
	}
	return (on | (passes ? open : 0)) & ~WAYMARK_CONDITIONAL;
}

/* Makes sure that there is one for the id. Returns NULL if memory ran out. Under the control lock.
 */
struct decided *waymark_decided_prepare(uint32_t id);

/* Stores what is decided: a decision, and watches; NULL: none. Under the control lock. */
void waymark_decided_store(struct decided *d, struct decision *decision, struct watches *watches);

/*
 * Stores the watches of an event; NULL: none. Call it also after one of them has changed. Under the
 * control lock.
 */
void waymark_decided_watch(uint32_t id, struct watches *watches);

/*
 * Makes the terms those of the event, which has an id. Threads evaluate the former ones or the new
 * ones. Returns false, and changes nothing, if memory ran out or the terms do not fit. Under the
 * control lock.
 */
bool waymark_decision_set(const struct waymark_event *event, const struct terms *t);

/*
 * Returns the decision under which the event is recorded on some backends; NULL: none. Under the
 * control lock.
 */
const struct decision *waymark_decision_in_force(const struct waymark_event *event);

static inline const char *decision_condition(const struct decision *d)
{
	return d ? d->condition : "";
}

static inline const char *decision_limits(const struct decision *d)
{
	return d && d->limits ? d->limits->text : "";
}

#endif
