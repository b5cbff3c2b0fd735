/* SPDX-License-Identifier: MIT */
/* Steps of messages, see view/message/steps.h; nothing here runs once a record. */
#include "view/message/steps.h"

#include <string.h>

#include "read/layout.h"
#include "view/message/number.h"
#include "view/message/printf.h"

void steps_init(
	struct steps *s, struct message *m, struct arena *a, const struct event_class *class)
{
	*s = (struct steps){
		.arena = a, .message = m, .event = class->event, .layout = class->layout
	};
	*m = (struct message){ 0 };
	out_init(&s->text, OUT_TO_MEMORY);
	m->varies = !class->event;
	m->args = class->event ? class->event->arg_count : 0;
}

static void push_step(struct steps *s, struct message_step step, const char *text, size_t n)
{
	memcpy(step.text, text, n);
	step.text_length = (uint32_t)n;
	s->message->room += MESSAGE_TEXT_MAX + NUMBER_ROOM;
	vec_push(&s->steps, step);
}

/* Ends a step: takes the text that collected. */
void steps_add(struct steps *s, struct message_step step)
{
	const char *text = out_reserve(&s->text, 0) - s->text.len;

	for (; s->text.len > MESSAGE_TEXT_MAX; text += MESSAGE_TEXT_MAX) {
		push_step(s, (struct message_step){ .op = MESSAGE_TEXT }, text, MESSAGE_TEXT_MAX);
		s->text.len -= MESSAGE_TEXT_MAX;
	}
	push_step(s, step, text, s->text.len);
	s->text.len = 0;
}

static uint64_t low_bits(unsigned int bits)
{
	return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* The bits of a declared integer; a plain `char` was extended by a host we do not know. */
static unsigned int type_bits(const struct type *t)
{
	return t->class != TYPE_INTEGER || t->is_char || t->size64 == 0 ? 64 : 8u * t->size64;
}

/* The bits to which `hh`, `h` and the PRI macros of those widths cut a value; 0: they do not. */
static unsigned int narrow_bits(const char *length)
{
	static const struct {
		const char *length;
		unsigned int bits;
	} narrow[] = {
		{ "hh", 8 },
		{ "8", 8 },
		{ "LEAST8", 8 },
		{ "FAST8", 8 },
		{ "h", 16 },
		{ "16", 16 },
		{ "LEAST16", 16 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(narrow); i++) {
		if (strcmp(length, narrow[i].length) == 0) {
			return narrow[i].bits;
		}
	}
	return 0;
}

/* What C's promotion makes of a type's width. */
static unsigned int promoted_bits(const struct type *t)
{
	return t->is_char || type_bits(t) < 32 ? 32 : type_bits(t);
}

/*
 * What becomes of a value of type `t`: it is cut to the type, extended as C
 * promotes it, and cut to a conversion that is meant to be narrow. Another
 * length modifier than the type's own changes nothing, as in the log backend.
 */
void steps_cast(struct message_step *s, const struct type *t, const char *length, bool is_signed)
{
	unsigned int from = type_bits(t);
	unsigned int narrow = narrow_bits(length);
	unsigned int to = narrow ? narrow : promoted_bits(t);
	unsigned int bits = to < from ? to : from;
	bool extend = to > from ? t->is_signed : is_signed;

	s->mask = low_bits(bits);
	s->sign = extend && bits < 64 ? UINT64_C(1) << (bits - 1) : 0;
	s->result = is_signed ? UINT64_MAX : low_bits(to);
}

void steps_simplify(struct message_step *s)
{
	if (s->op == MESSAGE_PROMOTED && s->sign == 0 && (s->mask & ~s->result) == 0) {
		s->op = MESSAGE_UNSIGNED;
	}
}

/*
 * Where a step finds its argument in the payload: in the word that ends where
 * the argument ends, because before every payload is a word of the record, and
 * behind it may be nothing. False when the payload's bits are not all it takes.
 */
static bool find_in_payload(struct message_step *step, const struct layout *l)
{
	size_t end = (step->arg + 1u) * sizeof(uint64_t);
	unsigned int bits = 64;

	if (step->op <= MESSAGE_TEXT) {
		return true;
	}
	if (l) {
		if (step->arg > layout_first_varying(l)) {
			return false;
		}
		bits = 8u * l->fields[step->arg].size;
		end = layout_offset(l, step->arg) + bits / 8;
		if (l->fields[step->arg].form > LAYOUT_FLOAT) {
			step->at = (int32_t)end;
			return l->fields[step->arg].form == LAYOUT_STRING &&
			       step->op == MESSAGE_STRING;
		}
	}
	step->at = (int32_t)(end - sizeof(uint64_t));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ /* else what ends there is lowest, and masked */
	step->shift = 64 - bits;
#endif
	return step->op < MESSAGE_STRING && (step->mask & ~low_bits(bits)) == 0;
}

/* Makes the steps take their arguments from the payload, if all of them can. */
static bool make_direct(struct steps *s, enum value_form form)
{
	const struct layout *l = form == VALUES_LAID_OUT ? s->layout : NULL;

	if (form < VALUES_WORDS || !s->event ||
		(!l && (s->message->varies || form == VALUES_LAID_OUT))) {
		return false;
	}
	vec_foreach (struct message_step *, step, &s->steps) {
		if (!find_in_payload(step, l)) {
			return false;
		}
	}
	return true;
}

/* Whether the step may meet a value that is not of its kind. */
static bool needs_check(
	const struct steps *s, const struct message_step *step, enum value_form form)
{
	return message_is_number(step->op) &&
	       (form == VALUES_ANY || s->event->args[step->arg].type.class == TYPE_STRING);
}

/* The faster form of a step that takes its argument from the payload. */
static void use_payload(struct message_step *step)
{
	if (step->op == MESSAGE_STRING) {
		step->op = MESSAGE_BYTES;
	} else if (step->op == MESSAGE_UNSIGNED && step->mask == UINT64_MAX && step->shift == 0 &&
		   step->text_length <= MESSAGE_TEXT_SHORT) {
		step->op = MESSAGE_WORD;
	}
}

void steps_link(struct steps *s, enum value_form form)
{
	s->message->direct = make_direct(s, form);
	s->message->growth = s->message->direct && s->message->varies ? s->message->expansion : 0;
	vec_foreach (struct message_step *, step, &s->steps) {
		if (s->message->direct) {
			use_payload(step);
		} else {
			step->at = (int32_t)(step->arg * sizeof(struct value));
			step->shift = 0;
		}
		step->put = message_putter(step, needs_check(s, step, form));
	}
	s->message->steps = arena_array(s->arena, struct message_step, s->steps.count);
	memcpy(s->message->steps, s->steps.items, s->steps.count * sizeof(*s->steps.items));
	vec_fini(&s->steps);
	out_fini(&s->text);
}
