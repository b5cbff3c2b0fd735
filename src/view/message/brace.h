/* SPDX-License-Identifier: MIT */
/*
 * Values that printf has no conversion for: rendered by src/brace, in messages and in JSON.
 * Private to the views.
 */
#ifndef VIEW_MESSAGE_BRACE_H
#define VIEW_MESSAGE_BRACE_H

#include "view/message/steps.h"

/* What a step of MESSAGE_BRACE or MESSAGE_JSON_ODD shows its argument by. */
struct message_placeholder {
	struct brace_spec spec;
	const struct type *type;
};

/* Adds a placeholder of the event's message, in the cheapest step that shows it so. */
void message_add_placeholder(struct steps *c, const struct conversion *conversion);

/* Adds a step that shows argument `i` by {}, or {:?} for want of it; or by {:?} as JSON. */
void message_add_plain(struct steps *c, size_t i, enum message_op op);

/* Whether values of the type are more than a word or a string. */
bool message_is_odd(const struct type *t);

/* How many bytes the step's text takes, before any escapes. */
size_t message_measure(const struct message_step *step, const struct value *values);

message_put message_put_brace;
message_put message_put_json_odd;

#endif
