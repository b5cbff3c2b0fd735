/* SPDX-License-Identifier: MIT */
/*
 * The arguments of an event as members of a JSON object: chooses the step of each by its type. Runs
 * once for each event class.
 */
#include "view/message/steps.h"

#include <string.h>

#include "view/message/json.h"
#include "view/message/number.h"

/* Returns the step for an argument of that type whose value may be of another kind. */
static enum message_op careful_op(const struct type *t)
{
	if (t->class != TYPE_INTEGER) {
		return MESSAGE_JSON_HEX; /* a number in place of a string is its address */
	}
	if (t->is_bool) {
		return MESSAGE_JSON_BOOL;
	}
	return t->is_signed ? MESSAGE_JSON_SIGNED : MESSAGE_JSON;
}

/* Like careful_op(), for values that always have their declared types. */
static enum message_op typed_op(const struct type *t)
{
	enum message_op op = careful_op(t);

	switch (op) {
	case MESSAGE_JSON_HEX:
		return t->class == TYPE_STRING ? op : MESSAGE_HEX;
	case MESSAGE_JSON_SIGNED:
		return MESSAGE_SIGNED;
	case MESSAGE_JSON:
		return MESSAGE_PROMOTED;
	default:
		return op;
	}
}

static void add_member(
	struct steps *s, size_t i, const struct message_look *look, enum value_form form)
{
	const struct arg *arg = &s->event->args[i];
	struct message_step step = {
		.arg = (uint16_t)i,
		.digits = 1,
		.op = (uint8_t)(form == VALUES_ANY ? careful_op(&arg->type) : typed_op(&arg->type)),
	};

	s->message->varies |= arg->type.class == TYPE_STRING;
	json_out_string(&s->text, arg->name);
	out_char(&s->text, ':');
	if (look->has_names && steps_add_json_names(s, i)) {
		return;
	}
	if (message_is_odd(&arg->type)) {
		message_add_plain(s, i, MESSAGE_JSON_ODD);
		return;
	}
	out_str(&s->text, step.op == MESSAGE_HEX ? "\"0x" : "");
	steps_cast(&step, &arg->type, "", arg->type.is_signed);
	steps_simplify(&step);
	steps_add(s, step);
	out_str(&s->text, step.op == MESSAGE_HEX ? "\"" : "");
}

/* Makes the JSON of their names only once. */
void message_add_cut(struct steps *s)
{
	if (s->message->args == 0 || !s->message->varies) {
		return;
	}
	const char **names = arena_array(s->arena, const char *, s->message->args);

	for (size_t i = 0; i < s->message->args; i++) {
		const char *name = s->event->args[i].name;
		char *text = arena_alloc(s->arena, JSON_EXPANSION * strlen(name) + JSON_QUOTES + 1);

		*json_put_string(text, name, strlen(name)) = '\0';
		names[i] = text;
		s->message->room += strlen(text) + 1;
	}
	s->message->room += NUMBER_ROOM; /* for the text around them */
	steps_add(s, (struct message_step){ .op = MESSAGE_JSON_CUT,
			     .arg = (uint16_t)s->message->args,
			     .names = names });
}

void message_add_members(struct steps *s, const struct message_look *look, enum value_form form)
{
	bool is_first = true;

	for (size_t i = 0; look->field_count == 0 && i < s->message->args; i++) {
		out_str(&s->text, i == 0 ? "" : ",");
		add_member(s, i, look, form);
	}
	for (size_t i = 0; s->event && i < look->field_count; i++) {
		int arg = event_find_arg(s->event, look->fields[i], strlen(look->fields[i]));

		if (arg >= 0) {
			out_str(&s->text, is_first ? "" : ",");
			add_member(s, (size_t)arg, look, form);
			is_first = false;
		}
	}
}
