/* SPDX-License-Identifier: MIT */
/*
 * Rules: "switch the events of this pattern on (off) for these backends", or, as triggers, "when
 * one of these events is called, do this". A list of rules is read from an option and checked
 * (rule_list.c), then put into force as a whole (rule.c), for objects that are loaded now or later.
 * For an event and a backend the last rule that matches decides.
 */
#ifndef RT_EVENT_RULE_H
#define RT_EVENT_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <waymark/control.h>
#include <waymark/record.h>

#include "rt/event/decision.h"
#include "rt/event/pattern.h"
#include "rt/event/trigger.h"

/*
 * The most rules in force, as many as there are ids, and the most expressions, which take 25 KiB
 * each.
 */
#define RULES_MAX 65536u
#define RULES_EXPRESSIONS_MAX 256u

/* The kind of events to which a rule applies, among those that match its pattern. */
enum rule_type { RULE_ALL, RULE_EVENTS, RULE_SCOPES };

struct waymark_rule {
	char *pattern; /* owned */
	struct terms *terms; /* owned; NULL: none */
	struct trigger *trigger; /* the rule is one: it switches nothing; owned; NULL: none */
	enum rule_type type; /* RULE_ALL unless the pattern is `*` */
	struct pattern match; /* `pattern`, compiled */
	uint16_t backends;
	bool on;
	bool matched; /* an event matched it */
	bool serves; /* an event that matched has a backend of the rule */
	bool refuses; /* an event that matched is a trace point, which `simple` must not record */
	bool ask; /* report it at the end of start-up if no event matched */
	bool fits; /* the terms fit an event that matched */
	bool misfits; /* they do not fit another one, which the rule leaves as it is */
};

struct waymark_rules {
	struct waymark_rule *items;
	size_t count;
	size_t capacity;
};

/* Returns true if the rule has a plain name. */
static inline bool rule_is_exact(const struct waymark_rule *r)
{
	return r->match.kind == PATTERN_EXACT;
}

/* The most names listed in a message; further ones are only counted. */
#define RULES_LISTED 8

/* True if calls of the event begin the pairs of the rule's elapsed(). */
static inline bool rule_begins_pairs(
	const struct waymark_rule *r, const struct waymark_event *event)
{
	return r->on && r->terms && r->terms->pairing &&
	       strcmp(r->terms->pairing->begin, event->name) == 0;
}

void waymark_rule_fini(struct waymark_rule *r);
void waymark_rules_fini(struct waymark_rules *rules);

/* Makes room for `more` rules. Returns false if there is no memory. */
bool waymark_rules_reserve(struct waymark_rules *rules, size_t more);

/*
 * Appends one: a pattern, which may begin with `-`, which switches off; limits (limits.h); and,
 * after ` if `, a condition (waymark-expressions(7)). Returns 0, or -1: the pattern is empty or not
 * a regular expression (pattern.h), a limit or the condition is wrong, or memory ran out.
 */
int waymark_rules_add(struct waymark_rules *rules, const char *pattern, unsigned int backends,
	struct waymark_error *error);

/*
 * Inserts, before all others, "switch on all events of that type". Returns 0, or -1 if memory ran
 * out.
 */
int waymark_rules_begin_with(
	struct waymark_rules *rules, enum rule_type type, struct waymark_error *error);

/*
 * Returns true if a newer rule replaces an older one, provided that it has all backends of the
 * older one, and was matched with all events.
 */
bool waymark_rule_covers(const struct waymark_rule *newer, const struct waymark_rule *older);

/*
 * Checks the number of rules. Returns 0, or -1 if too many would be in force. Under the control
 * lock.
 */
int waymark_rules_check_number(const struct waymark_rules *rules,
	const struct waymark_rules *in_force, struct waymark_error *error);

/*
 * Call after the rules were matched with all events. Returns 0, or -1 if a rule would only switch
 * on trace points for `simple`, see event_backends(). Under the control lock.
 */
int waymark_rules_check_refused(const struct waymark_rules *rules, struct waymark_error *error);

/*
 * Call after the rules were matched with all events. Returns -1 if a rule's terms fit none of the
 * events that match. Says in `misfits` which others they do not fit. Under the control lock.
 */
int waymark_rules_check_terms(const struct waymark_rules *rules, struct waymark_error *misfits,
	struct waymark_error *error);

/* Returns a rule's name for messages. */
const char *waymark_rule_name(const struct waymark_rule *r);

/*
 * Gives ids to the events that the rules will record, and fills in `match`, which may be NULL.
 * Returns 0, or -1 if some got none, or terms fit no event. Takes the control lock.
 */
int waymark_rules_prepare(
	struct waymark_rules *rules, struct waymark_match *match, struct waymark_error *error);

/*
 * Puts the rules into force as one change, and empties the list. Returns 0, or -1 and changes
 * nothing: memory ran out, or some events got no id. Takes the control lock.
 */
int waymark_rules_commit(
	struct waymark_rules *rules, struct waymark_match *match, struct waymark_error *error);

/*
 * Gives an id to the events that the rules will switch on for any of `backends`. The second
 * function does so with the rules in force, for an object that is about to be registered. Takes the
 * control lock.
 */
void waymark_rules_identify(struct waymark_rules *rules, unsigned int backends);
void waymark_rules_identify_in(struct waymark_object *object, unsigned int backends);

/*
 * Returns which of `backends` the rules will switch any event on for. The second function does so
 * with the rules in force, for an object that is about to be registered. Takes the control lock.
 */
unsigned int waymark_rules_want(struct waymark_rules *rules, unsigned int backends);
unsigned int waymark_rules_want_in(const struct waymark_object *object, unsigned int backends);

/*
 * Sets `matched` of the rules that match a loaded event. Puts no rule into force. Takes the lock.
 */
void waymark_rules_match(struct waymark_rules *rules);

/*
 * Copies the event's or category's name nearest to a mistyped one to `text`. Returns false if no
 * name is near. Takes the control lock.
 */
bool waymark_rules_suggest(const char *name, char *text, size_t size);

/*
 * Registers an object and applies the rules in force to its events. Returns false if it was
 * registered before. Takes the control lock.
 */
bool waymark_rules_register(struct waymark_object *object);

/*
 * Reports the names and patterns with `ask` that no event matched, each once. Takes the control
 * lock.
 */
void waymark_rules_report_unmatched(void);

#endif
