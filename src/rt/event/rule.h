/* SPDX-License-Identifier: MIT */
/*
 * Rules: "switch the events of this pattern on (off) for these backends". A
 * list of them is read from an option, checked, and then put into force as one:
 * for the objects that are loaded and for those that come later. The last rule
 * that speaks of an event and a backend decides.
 */
#ifndef RT_EVENT_RULE_H
#define RT_EVENT_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <waymark/control.h>
#include <waymark/record.h>

#include "rt/event/pattern.h"

/* In force at most: as many as there can be ids, and 25 KiB for each of the expressions. */
#define RULES_MAX 65536u
#define RULES_EXPRESSIONS_MAX 256u

/* Which events a rule is about, of those that its pattern meets. */
enum rule_type { RULE_ALL, RULE_EVENTS, RULE_SCOPES };

struct waymark_rule {
	char *pattern; /* owned */
	enum rule_type type; /* only with the pattern `*` it is not RULE_ALL */
	struct pattern match; /* the same, read */
	uint16_t backends;
	bool on;
	bool met; /* some event matched it */
	bool serves; /* one of them has a backend of the rule */
	bool refuses; /* one of them is a trace point, which may not go to `simple` */
	bool ask; /* name it at the end of start-up if none did */
};

struct waymark_rules {
	struct waymark_rule *items;
	size_t count;
	size_t capacity;
};

/* A name, not a pattern. */
static inline bool rule_is_exact(const struct waymark_rule *r)
{
	return r->match.kind == PATTERN_EXACT;
}

void waymark_rule_fini(struct waymark_rule *r);
void waymark_rules_fini(struct waymark_rules *rules);

/* Makes room for `more` rules. Returns false where there is no memory. */
bool waymark_rules_reserve(struct waymark_rules *rules, size_t more);

/*
 * Appends one; `pattern` may begin with `-`, which switches off. Returns 0, or
 * -1: the pattern is empty, or no regular expression (pattern.h), or no memory.
 */
int waymark_rules_add(struct waymark_rules *rules, const char *pattern, unsigned int backends,
	struct waymark_error *error);

/* Inserts, before all others, "switch on whatever is of that type". Returns 0, or -1: no memory. */
int waymark_rules_begin_with(
	struct waymark_rules *rules, enum rule_type type, struct waymark_error *error);

/* Whether nothing is left of an older rule where a newer one has its backends. */
bool waymark_rule_covers(const struct waymark_rule *newer, const struct waymark_rule *older);

/* Returns 0, or -1 where there would be too many in force. Under the control lock. */
int waymark_rules_check_number(const struct waymark_rules *rules,
	const struct waymark_rules *in_force, struct waymark_error *error);

/*
 * Returns 0, or -1 where a rule that was compared with the events switches on nothing but
 * trace points for `simple`, see event_backends(). Under the control lock.
 */
int waymark_rules_check_refused(const struct waymark_rules *rules, struct waymark_error *error);

/* What a rule is called in messages. */
const char *waymark_rule_name(const struct waymark_rule *r);

/*
 * Gives ids to the events that the rules will have record. Returns 0, or -1 where
 * some found none. Takes the control lock.
 */
int waymark_rules_prepare(struct waymark_rules *rules, struct waymark_error *error);

/*
 * Puts the rules into force and empties the list. Returns 0, or -1 and nothing
 * is changed: no memory, or some events found no id. No other change comes in
 * between. Takes the control lock.
 */
int waymark_rules_commit(
	struct waymark_rules *rules, struct waymark_match *match, struct waymark_error *error);

/*
 * Gives an id to the events that the rules (those in force: to an object that
 * is about to be registered) will switch on for any of `backends`. Takes the control lock.
 */
void waymark_rules_identify(struct waymark_rules *rules, unsigned int backends);
void waymark_rules_identify_in(struct waymark_object *object, unsigned int backends);

/*
 * The ones of `backends` that the rules (those in force: of an object that is about to be
 * registered) will switch any event on for. Takes the control lock.
 */
unsigned int waymark_rules_want(struct waymark_rules *rules, unsigned int backends);
unsigned int waymark_rules_want_in(const struct waymark_object *object, unsigned int backends);

/* Sets `met` of the rules that meet an event by now; puts nothing into force. Takes the lock. */
void waymark_rules_meet(struct waymark_rules *rules);

/*
 * Copies the name of the event or category that a mistyped name probably means to `text`.
 * Returns false where none is near. Takes the control lock.
 */
bool waymark_rules_suggest(const char *name, char *text, size_t size);

/* Applies the rules in force to a new object. Under the control lock. */
void waymark_rules_apply_to(struct waymark_object *object);

/* Says, once for each, which names and patterns asked for have met no event. Takes the control
 * lock. */
void waymark_rules_report_unmet(void);

#endif
