/* SPDX-License-Identifier: MIT */
/*
 * Makes the steps of a message: collects their texts, chooses the step for an argument, and links
 * the chain. Runs once for each event class, not for each record.
 */
#include "view/message/steps.h"

#include <string.h>

#include "base/unit.h"
#include "read/layout.h"
#include "view/message/number.h"
#include "view/message/putters.h"

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

/* Returns the bits of a declared integer; 64 for a plain `char`, which an unknown host extended. */
static unsigned int type_bits(const struct type *t)
{
	return t->class != TYPE_INTEGER || t->is_char || t->size64 == 0 ? 64 : 8u * t->size64;
}

/* Returns the bits to which `hh`, `h` or a PRI macro of those widths cuts a value; 0 for others. */
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

/*
 * Sets the cast: a value is cut to its type, extended by C's promotion, and cut to a narrow
 * conversion. Length modifiers other than the type's own change nothing, as in the log backend.
 */
void steps_cast(struct message_step *s, const struct type *t, const char *length, bool is_signed)
{
	unsigned int from = type_bits(t);
	unsigned int narrow = narrow_bits(length);
	unsigned int promoted = t->is_char || from < 32 ? 32 : from;
	unsigned int to = narrow ? narrow : promoted;
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

bool steps_name(struct message_step *step, const struct arg *arg, bool is_hex)
{
	if (!arg->names || arg->type.class != TYPE_INTEGER || message_is_odd(&arg->type)) {
		return false;
	}
	*step = (struct message_step){
		.op = MESSAGE_NAME,
		.digits = (uint8_t)((arg->is_flags ? MESSAGE_NAME_BITS : 0) |
				    (arg->type.is_signed && !arg->is_flags ? MESSAGE_NAME_SIGNED
									   : 0) |
				    (is_hex ? MESSAGE_NAME_HEX : 0)),
		.values = arg->names,
	};
	steps_cast(step, &arg->type, "", arg->type.is_signed);
	if (arg->is_flags || (is_hex && !arg->type.is_signed)) { /* bits are not extended */
		step->mask = low_bits(type_bits(&arg->type));
		step->sign = 0;
	}
	return true;
}

static bool add_names(struct steps *s, size_t i, bool is_hex, enum message_op op)
{
	struct message_step step;

	if (!steps_name(&step, &s->event->args[i], is_hex)) {
		return false;
	}
	step.op = (uint8_t)op;
	step.arg = (uint16_t)i;
	s->message->room += message_names_room(step.values);
	if (s->text.len >= 2 && memcmp(s->text.data + s->text.len - 2, "0x", 2) == 0) {
		s->text.len -= 2;
	}
	steps_add(s, step);
	return true;
}

bool steps_add_names(struct steps *s, size_t i, bool is_hex)
{
	return add_names(s, i, is_hex, MESSAGE_NAME);
}

/* True if a text begins with a unit, as after `%u bytes`. */
static bool has_unit(struct span text, const char *unit)
{
	size_t blank = text.len > 0 && *text.text == ' ';
	const char *word = text.text + blank;
	size_t left = text.len - blank;
	size_t length = strlen(unit);

	if (left >= 4 && strncmp(word, "byte", 4) == 0) {
		return true;
	}
	return left >= length && strncmp(word, unit, length) == 0 &&
	       (left == length || !is_letter(word[length]));
}

bool steps_add_unit(struct steps *s, size_t i, bool is_signed)
{
	const struct arg *arg = &s->event->args[i];
	const struct unit *unit = arg->unit ? unit_find(arg->unit, strlen(arg->unit)) : NULL;
	struct message_step step = { .arg = (uint16_t)i, .op = MESSAGE_UNIT, .digits = is_signed };

	if (!unit || arg->type.class != TYPE_INTEGER || message_is_odd(&arg->type) ||
		has_unit(s->next, arg->unit)) {
		return false;
	}
	step.unit = unit;
	steps_cast(&step, &arg->type, "", is_signed);
	s->message->room += NUMBER_ROOM;
	steps_add(s, step);
	return true;
}

bool steps_add_json_names(struct steps *s, size_t i)
{
	return add_names(s, i, false, MESSAGE_JSON_NAME);
}

/*
 * Sets the place of the step's argument in the payload: the word that ends where the argument ends,
 * as a word of the record precedes every payload, but nothing may follow it. Returns false if the
 * step needs more than the payload's bits.
 */
static bool find_in_payload(struct message_step *step, const struct record_layout *l)
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
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ /* else the argument is in the lowest bits */
	step->shift = 64 - bits;
#endif
	return step->op < MESSAGE_STRING && (step->mask & ~low_bits(bits)) == 0;
}

/* Makes the steps read their arguments from the payload, if all of them can. */
static bool make_direct(struct steps *s, enum value_form form)
{
	const struct record_layout *l = form == VALUES_LAID_OUT ? s->layout : NULL;

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

/* Chooses the faster form of a step that reads its argument from the payload. */
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
		/* The value of a number may be of another kind then. */
		bool is_unsure =
			message_is_number(step->op) &&
			(form == VALUES_ANY || s->event->args[step->arg].type.class == TYPE_STRING);

		step->put = message_putter(step, is_unsure);
	}
	s->message->steps = arena_array(s->arena, struct message_step, s->steps.count);
	memcpy(s->message->steps, s->steps.items, s->steps.count * sizeof(*s->steps.items));
	vec_fini(&s->steps);
	out_fini(&s->text);
}

/* ---- Placeholders of messages with braces ---- */

bool message_is_odd(const struct type *t)
{
	return t->class == TYPE_FLOAT || (t->class != TYPE_STRING && !type_is_number(t));
}

static bool is_plain(const struct brace_spec *s)
{
	return s->width < 0 && s->precision < 0 && !s->plus && !s->alternate && !s->zero;
}

/* Returns the digits of {:04x} and the like; 0 for a placeholder that prints more. */
static uint8_t hex_digits(const struct brace_spec *s)
{
	int prefix = s->alternate ? 2 : 0;

	if ((s->type != BRACE_LOWER_HEX && s->type != BRACE_DEBUG_LOWER) || s->plus ||
		s->precision >= 0 || s->width > 16 + prefix || (s->width >= 0 && !s->zero)) {
		return 0;
	}
	return s->width > prefix + 1 ? (uint8_t)(s->width - prefix) : 1;
}

/* Returns the step of an integer; MESSAGE_BRACE if no simpler step can print it. */
static enum message_op integer_op(const struct type *t, const struct brace_spec *s)
{
	if (t->class != TYPE_INTEGER || t->is_bool || t->size64 == 0 || message_is_odd(t) ||
		t->descriptor) {
		return MESSAGE_BRACE;
	}
	if (is_plain(s) && (s->type == BRACE_DISPLAY || s->type == BRACE_DEBUG)) {
		return t->is_signed ? MESSAGE_SIGNED : MESSAGE_UNSIGNED;
	}
	return hex_digits(s) ? MESSAGE_HEX : MESSAGE_BRACE;
}

static void add_step(struct steps *c, size_t i, enum message_op op, const struct brace_spec *spec)
{
	struct message_placeholder *p = arena_new(c->arena, struct message_placeholder);

	*p = (struct message_placeholder){ *spec, &c->event->args[i].type };
	c->message->varies = c->message->measures = true;
	/* Room for numbers of 128 bits, and the text around. */
	c->message->room += 2 * NUMBER_ROOM;
	steps_add(c,
		(struct message_step){ .op = (uint8_t)op, .arg = (uint16_t)i, .placeholder = p });
}

void message_add_placeholder(struct steps *c, const struct conversion *conversion)
{
	const struct type *t = &c->event->args[conversion->arg].type;
	const struct brace_spec *spec = conversion->spec;
	struct message_step step = {
		.arg = (uint16_t)conversion->arg,
		.op = (uint8_t)integer_op(t, spec),
		.digits = hex_digits(spec),
	};

	bool is_decimal = is_plain(spec) && spec->type == BRACE_DISPLAY;

	if (steps_add_names(c, step.arg, spec->type == BRACE_LOWER_HEX) ||
		(is_decimal && steps_add_unit(c, step.arg, t->is_signed))) {
		return;
	}
	if (t->class == TYPE_STRING && is_plain(spec) && spec->type == BRACE_DISPLAY) {
		step.op = MESSAGE_STRING;
	}
	if (step.op == MESSAGE_BRACE) {
		add_step(c, step.arg, MESSAGE_BRACE, spec);
		return;
	}
	if (step.op == MESSAGE_HEX && spec->alternate) {
		out_str(&c->text, "0x");
	}
	if (step.op != MESSAGE_STRING) { /* cuts to the type, and extends for decimal output only */
		step.mask = UINT64_MAX >> (64 - 8u * t->size64);
		step.sign = step.op == MESSAGE_SIGNED ? step.mask ^ step.mask >> 1 : 0;
		step.result = UINT64_MAX;
	}
	steps_add(c, step);
}

void message_add_plain(struct steps *c, size_t i, enum message_op op)
{
	struct brace_spec spec = BRACE_SPEC_DEFAULT;

	if (op == MESSAGE_JSON_ODD || c->event->args[i].type.class == TYPE_DEBUG) {
		spec.type = BRACE_DEBUG;
	}
	add_step(c, i, op, &spec);
}
