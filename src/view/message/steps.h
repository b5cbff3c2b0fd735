/* SPDX-License-Identifier: MIT */
/*
 * Makes a message's chain of steps: callers add text to `text`, and each step owns the text
 * collected before it. Private to the views.
 */
#ifndef VIEW_MESSAGE_STEPS_H
#define VIEW_MESSAGE_STEPS_H

#include "base/vec.h"
#include "text/out.h"
#include "text/scan.h"
#include "view/message/message.h"

struct steps {
	struct arena *arena;
	struct message *message;
	const struct event *event; /* NULL: unknown */
	const struct record_layout *layout; /* NULL: no layout */
	struct out text; /* text of the next step */
	size_t lead; /* length of the message's lead in `text` */
	struct span next; /* the format's text behind the present argument */
	VEC(struct message_step) steps;
};

void steps_init(
	struct steps *s, struct message *m, struct arena *a, const struct event_class *class);

/* Adds a step with the text collected in `text`. */
void steps_add(struct steps *s, struct message_step step);

/* Sets the cast of a value of type `t` for a conversion with this length modifier. */
void steps_cast(struct message_step *s, const struct type *t, const char *length, bool is_signed);

/* Changes MESSAGE_PROMOTED into the faster MESSAGE_UNSIGNED if that prints the same. */
void steps_simplify(struct message_step *s);

/*
 * Makes a step that prints names of the argument's values, without its `arg` and text. Returns
 * false if the values have no names. `is_hex`: shows a value without a name as 0x1f.
 */
bool steps_name(struct message_step *step, const struct arg *arg, bool is_hex);

/*
 * Adds a step that prints names of the values of argument `i`. Returns false if they have none.
 * Removes a `0x` before it. `is_hex` is as above.
 */
bool steps_add_names(struct steps *s, size_t i, bool is_hex);

/*
 * Adds a step that prints argument `i`, an integer in decimal, with its unit. Returns false if it
 * has none that can be converted, or if the text after it already has the unit.
 */
bool steps_add_unit(struct steps *s, size_t i, bool is_signed);

/* Adds a step that prints them as a JSON string. */
bool steps_add_json_names(struct steps *s, size_t i);

/*
 * Adds the members of a JSON object: the arguments of the event, or only the look's fields. `form`
 * is the reader's.
 */
void message_add_members(struct steps *s, const struct message_look *look, enum value_form form);

/* Adds the list of cut strings, if the event can have any: `,"cut":["path"]`. */
void message_add_cut(struct steps *s);

/* Adds a placeholder of the event's message, by the cheapest step that can print it. */
void message_add_placeholder(struct steps *c, const struct conversion *conversion);

/* Adds a step that prints argument `i` by {}, by {:?} if its type has only that, or as JSON. */
void message_add_plain(struct steps *c, size_t i, enum message_op op);

/* True if values of the type are neither one word nor a C string. */
bool message_is_odd(const struct type *t);

/* Links the steps of a complete message, and frees `s`. */
void steps_link(struct steps *s, enum value_form form);

#endif
