/* SPDX-License-Identifier: MIT */
/*
 * Triggers: `when io_complete if error != 0 then snapshot`. A thread that calls the event evaluates
 * the condition, records `waymark:trigger`, and does what needs no lock; control's thread does the
 * rest (rt/control/react.c). Limits of a trigger are those of the process, so `first=1` means once.
 *
 * The watches of an event, which are its triggers and the pairings that its calls begin, are found
 * by its id, and replaced as decisions are (retired.h).
 */
#ifndef RT_EVENT_TRIGGER_H
#define RT_EVENT_TRIGGER_H

#include "rt/event/action.h"
#include "rt/event/registry.h"
#include "rt/event/retired.h"
#include "rt/event/terms.h"
#include "rt/record/cursor.h"

/* The most triggers in force. */
#define TRIGGERS_MAX 1024u

enum firing_state { FIRING_NONE, FIRING_FILLED, FIRING_READY };

/* A call that fired a trigger, until control's thread has handled it. */
struct firing {
	uint32_t state; /* enum firing_state; READY by release */
	uint32_t turn; /* see waymark_trigger_turn() */
	uint32_t count; /* of records in the thread's cursor before that */
	const struct waymark_cursor *cursor;
};

struct trigger {
	struct retired retired;
	struct trigger *next; /* in force, in the order in which they were added */
	struct actions actions;
	struct limits *limits; /* owned; NULL: none */
	struct pairing *pairing; /* of its elapsed(); NULL: none */
	uint64_t calls; /* for `every`; atomic, as the next three */
	uint64_t passed; /* for `first` */
	uint64_t next_ns; /* for the rate */
	uint64_t fired; /* times */
	uint32_t snapshots; /* made into its directory: of control's thread */
	uint16_t backends; /* of its rule: where it is recorded and printed; atomic */
	bool aggregates; /* instead of firing, see aggregation.h */
	unsigned int aggregation; /* then: waymark_aggregation_index() */
	struct firing firing;
	char text[]; /* `when ...`, as it was given */
};

/* What each call of an event does: fires a trigger, is added up, or enters the table of a pairing.
 */
struct watch {
	struct retired retired;
	const struct expr_program *program;
	struct fields fields; /* the names of values that the program compares */
	struct trigger *trigger; /* NULL: the call is the first of a pair */
	struct pairing *pairing; /* NULL: none */
	struct field_ref paired; /* the field by which calls are paired */
	struct aggregate_binding aggregate; /* without an aggregation: none */
};

/* The watches of one event. */
struct watches {
	struct retired retired;
	size_t count;
	struct watch *items[]; /* by release; NULL: free */
};

static inline struct watch *watch_at(const struct watches *all, size_t i)
{
	return __atomic_load_n(&all->items[i], __ATOMIC_ACQUIRE);
}

/*
 * Makes a trigger from the parts of a rule's text and from its terms. Returns NULL, with the
 * reason, if an action or a limit is wrong, or memory ran out.
 */
struct trigger *waymark_trigger_new(const char *text, const struct rule_text *parts,
	const struct terms *terms, struct waymark_error *error);

/* Frees a trigger that was never in force; NULL: does nothing. */
void waymark_trigger_free(struct trigger *t);

/* The next six: under the control lock. */

/* Puts the trigger into force, of no event yet. */
void waymark_trigger_add(struct trigger *t);

/* Takes the trigger out of force, and away from all events; frees it later. */
void waymark_trigger_remove(struct trigger *t);

/* Returns the first trigger in force. */
struct trigger *waymark_trigger_first(void);

/*
 * Sets the trigger for an event, which has an id. Returns false if memory ran out, or the terms do
 * not fit.
 */
bool waymark_trigger_watch(
	struct trigger *t, const struct terms *terms, const struct waymark_event *event);

/*
 * Makes calls of the event the first ones of the pairing. Returns false if memory ran out, or the
 * event lacks the field.
 */
bool waymark_pairing_watch(struct pairing *p, const struct waymark_event *event);

/* Ends what waymark_pairing_watch() began. */
void waymark_pairing_unwatch(const struct pairing *p);

/*
 * Does so for all pairings that are not held, are in no rule, and in no condition of an event. An
 * event that a newer rule does not fit keeps its condition longer than the rule.
 */
void waymark_pairing_collect(bool (*is_in_rule)(const struct pairing *p));

/* Returns true if its limits let it fire now. Any thread, any signal handler. */
bool waymark_trigger_passes(struct trigger *t);

/*
 * Notes that a call fired the trigger, and wakes control's thread if it has something to do. Any
 * thread, any signal handler.
 */
void waymark_trigger_fire(struct trigger *t, const struct waymark_cursor *cursor);

/* Returns a number that grows with each firing that control's thread must handle. */
uint32_t waymark_trigger_turn(void);

/* Sleeps while that number is the same, at most `ns`. */
void waymark_trigger_sleep(uint32_t turn, uint64_t ns);

/* Ends such a sleep. Any thread, any signal handler. */
void waymark_trigger_wake(void);

/*
 * Sets the function that starts control's thread in this process if it does not run there: for the
 * first trigger, and for firings. Called by a constructor, once.
 */
void waymark_trigger_set_start(void (*start)(bool is_firing));

/* Starts the thread. Takes no lock. */
void waymark_trigger_start(void);

#endif
