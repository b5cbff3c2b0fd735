/* SPDX-License-Identifier: MIT */
/*
 * The terms of a rule: under which condition, and how often, the events that match it are recorded.
 * They are parsed once, for any event, and checked with the declaration of each.
 */
#ifndef RT_EVENT_TERMS_H
#define RT_EVENT_TERMS_H

#include <waymark/record.h>

#include "expr/expr.h"
#include "rt/event/aggregation.h"
#include "rt/event/field.h"
#include "rt/event/limits.h"
#include "rt/event/pairing.h"
#include "rt/event/part.h"

/* NULL: none. One of the first three is there. */
struct terms {
	struct expr *condition;
	struct limits *limits;
	struct aggregation *aggregation;
	struct pairing *pairing; /* of elapsed() in the condition, or in the aggregation */
};

/*
 * The parts of a rule's text: `name rate=10/s if bytes > 64K`; or, of a trigger, `when name first=1
 * if error != 0 then snapshot`; or `aggregate name count, sum(bytes) by op if error == 0`.
 */
struct rule_text {
	bool off; /* it begins with a `-` */
	struct part pattern; /* or name */
	struct part limits;
	struct part condition;
	struct part actions; /* of a trigger, up to the end of the text */
	struct part functions; /* of an aggregation, with its keys */
};

/* Returns true if the rule switches nothing, but watches calls: see trigger.h. */
static inline bool rule_text_watches(const struct rule_text *t)
{
	return t->actions.text || t->functions.text;
}

/* Finds the parts of a rule's text. */
struct rule_text waymark_rule_split(const char *text);

/*
 * Parses the terms in a rule's text. Returns 0 and the terms, NULL if there are none; or -1, with
 * the reason.
 */
int waymark_terms_new(
	struct terms **terms, const struct rule_text *text, struct waymark_error *error);
void waymark_terms_free(struct terms *t);

/*
 * Returns true if the terms fit the event: all names are fields or values of it, and the types fit.
 * Otherwise false, with the reason. NULL, of a trigger without terms, fits all declared events.
 */
bool waymark_terms_fit(
	const struct terms *t, const struct waymark_event *event, struct waymark_error *error);

/*
 * Reads the fields that the terms may name. Returns false if memory ran out. The fields' owner is
 * also a user of their pairing, if they outlive the terms.
 */
bool waymark_terms_fields(
	const struct terms *t, const struct waymark_event *event, struct fields *f);

/*
 * Returns the condition as a program for the event whose fields these are; NULL, with the error, if
 * it does not fit or memory ran out.
 */
struct expr_program *waymark_condition_compile(
	const struct expr *condition, const struct fields *f, struct expr_error *why);

/* Gives the field by which limits sample; false if the event has no such field. */
bool waymark_limits_field(const struct limits *l, const struct fields *f, struct field_ref *ref);

#endif
