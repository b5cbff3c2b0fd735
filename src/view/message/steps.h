/* SPDX-License-Identifier: MIT */
/*
 * How a message's chain of steps is made: text collects, and each step takes
 * what collected as its own. Private to the views.
 */
#ifndef VIEW_MESSAGE_STEPS_H
#define VIEW_MESSAGE_STEPS_H

#include "base/vec.h"
#include "text/out.h"
#include "view/message/message.h"

struct steps {
	struct arena *arena;
	struct message *message;
	const struct event *event; /* NULL: unknown */
	const struct layout *layout; /* NULL: it has none */
	struct out text; /* of the next step */
	size_t lead; /* how much of it was given */
	VEC(struct message_step) steps;
};

void steps_init(
	struct steps *s, struct message *m, struct arena *a, const struct event_class *class);

/* Ends a step: it takes the text that collected in `text`. */
void steps_add(struct steps *s, struct message_step step);

/* Sets what becomes of a value of type `t` that a conversion of that length shows. */
void steps_cast(struct message_step *s, const struct type *t, const char *length, bool is_signed);

/* The plain form of an unsigned number where that is enough. */
void steps_simplify(struct message_step *s);

/* Finishes the message, whose last step was added, and ends `s`. */
void steps_link(struct steps *s, enum value_form form);

#endif
