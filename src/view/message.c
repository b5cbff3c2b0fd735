/* SPDX-License-Identifier: MIT */
/* From an event's format to the steps of view/message.h; nothing here runs once a record. */
#include "view/message.h"

#include <string.h>

#include "base/vec.h"
#include "text/out.h"
#include "view/message_printf.h"
#include "view/number.h"

struct compiler {
	struct arena *arena;
	struct message *message;
	const struct event *event;
	struct out text; /* of the next step */
	size_t lead; /* how much of it was given */
	VEC(struct message_step) steps;
};

char *message_name(struct arena *a, const struct event_class *class)
{
	size_t length = strlen(class->name);
	char *name = arena_alloc(a, ESCAPE_MAX * length + 8);

	*message_escape(name, class->name, length) = '\0';
	return name;
}

static void add_text(struct compiler *c, const char *text, size_t length)
{
	char *end = message_escape(out_reserve(&c->text, ESCAPE_MAX * length + 8), text, length);

	c->text.len = (size_t)(end - c->text.data);
}

static void push_step(struct compiler *c, struct message_step step, const char *text, size_t n)
{
	memcpy(step.text, text, n);
	step.text_length = (uint32_t)n;
	c->message->room += MESSAGE_TEXT_MAX + NUMBER_ROOM;
	vec_push(&c->steps, step);
}

/* Ends a step: takes the text that collected. */
static void add_step(struct compiler *c, struct message_step step)
{
	const char *text = out_reserve(&c->text, 0) - c->text.len;

	for (; c->text.len > MESSAGE_TEXT_MAX; text += MESSAGE_TEXT_MAX) {
		push_step(c, (struct message_step){ .op = MESSAGE_TEXT }, text, MESSAGE_TEXT_MAX);
		c->text.len -= MESSAGE_TEXT_MAX;
	}
	push_step(c, step, text, c->text.len);
	c->text.len = 0;
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
static void set_cast(
	struct message_step *s, const struct type *t, const char *length, bool is_signed)
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

/* The plain form of an unsigned number where that is enough. */
static void simplify(struct message_step *s)
{
	if (s->op == MESSAGE_PROMOTED && s->sign == 0 && (s->mask & ~s->result) == 0) {
		s->op = MESSAGE_UNSIGNED;
	}
}

static void set_no_cast(struct message_step *s)
{
	s->mask = s->result = UINT64_MAX;
	s->sign = 0;
}

/* The width of `%0<width>x`, 1 for `%x`, 0 when there is more to it than digits. */
static uint8_t hex_digits(const struct conversion *c)
{
	bool zeros = strcmp(c->flags, "0") == 0;

	if (c->width_arg != FORMAT_NO_ARG || c->precision_arg != FORMAT_NO_ARG) {
		return 0;
	}
	if (c->precision >= 0 || c->width > 16 || (!zeros && (c->flags[0] || c->width > 1))) {
		return 0;
	}
	return c->width > 0 ? (uint8_t)c->width : 1;
}

static bool is_plain(const struct conversion *c)
{
	return c->flags[0] == '\0' && c->width <= 0 && c->precision < 0 &&
	       c->width_arg == FORMAT_NO_ARG && c->precision_arg == FORMAT_NO_ARG;
}

/* The steps that need no flags, width or precision, by the conversion's letter. */
static enum message_op plain_op(const struct conversion *c)
{
	static const struct {
		char letter;
		enum message_op op;
	} ops[] = {
		{ 'd', MESSAGE_SIGNED },
		{ 'i', MESSAGE_SIGNED },
		{ 'u', MESSAGE_PROMOTED },
		{ 'x', MESSAGE_HEX },
		{ 'p', MESSAGE_POINTER },
		{ 's', MESSAGE_STRING },
		{ 'c', MESSAGE_CHAR },
	};

	if (c->letter == 'x' && hex_digits(c)) {
		return MESSAGE_HEX;
	}
	for (size_t i = 0; i < ARRAY_SIZE(ops) && is_plain(c); i++) {
		if (ops[i].letter == c->letter) {
			return ops[i].op;
		}
	}
	return MESSAGE_PRINTF;
}

static int cut_width(int width)
{
	return width < MESSAGE_WIDTH_MAX ? width : MESSAGE_WIDTH_MAX;
}

/* What width and precision can add to a step. */
static size_t padding_room(const struct conversion *c)
{
	if (c->width_arg != FORMAT_NO_ARG || c->precision_arg != FORMAT_NO_ARG) {
		return 2 * MESSAGE_WIDTH_MAX;
	}
	return (size_t)(c->width > 0 ? cut_width(c->width) : 0) +
	       (size_t)(c->precision > 0 ? cut_width(c->precision) : 0);
}

static bool takes_known_args(const struct compiler *c, const struct conversion *conversion)
{
	int count = (int)c->event->arg_count;

	return conversion->arg >= 0 && conversion->arg < count && conversion->width_arg < count &&
	       conversion->precision_arg < count;
}

static void add_conversion(struct compiler *c, const struct conversion *conversion)
{
	if (!takes_known_args(c, conversion)) {
		add_text(c, "?", 1);
		return;
	}
	const struct type *type = &c->event->args[conversion->arg].type;
	struct message_step step = {
		.arg = (uint16_t)conversion->arg,
		.op = (uint8_t)plain_op(conversion),
		.digits = conversion->letter == 'x' ? hex_digits(conversion) : 1,
		.conversion = conversion,
	};

	set_cast(&step, type, conversion->length,
		conversion->letter == 'd' || conversion->letter == 'i');
	if (conversion->letter == 'c') {
		set_no_cast(&step);
	}
	if (step.op == MESSAGE_PRINTF) {
		c->message->room += padding_room(conversion) + 2 * NUMBER_ROOM;
	}
	simplify(&step);
	add_step(c, step);
}

static void add_format(struct compiler *c, const struct format *format)
{
	for (size_t i = 0; i < format->count; i++) {
		const struct segment *segment = &format->segments[i];

		add_text(c, segment->text, segment->len);
		if (segment->has_conversion) {
			add_conversion(c, &segment->conversion);
		}
	}
}

/* ` name=value`, in the form that fits the type. */
static void add_field(struct compiler *c, size_t i)
{
	const struct arg *arg = &c->event->args[i];
	bool hex = arg->type.class == TYPE_POINTER || arg->type.class == TYPE_TCG;
	struct message_step step = { .arg = (uint16_t)i, .digits = 1 };

	if (c->text.len > c->lead || c->steps.count) {
		add_text(c, " ", 1);
	}
	add_text(c, arg->name, strlen(arg->name));
	add_text(c, hex ? "=0x" : "=", hex ? 3 : 1);
	set_cast(&step, &arg->type, "", arg->type.is_signed);
	step.op = hex ? MESSAGE_HEX : arg->type.is_signed ? MESSAGE_SIGNED : MESSAGE_PROMOTED;
	if (arg->type.class == TYPE_STRING) {
		step.op = MESSAGE_STRING;
	}
	simplify(&step);
	add_step(c, step);
}

/* A format that is missing, or does not fit the arguments, leaves all of them to be named. */
static void add_event(struct compiler *c)
{
	const struct event *event = c->event;

	add_format(c, &event->format);
	for (size_t i = 0; i < event->arg_count; i++) {
		c->message->varies |= event->args[i].type.class == TYPE_STRING;
		if (event->format.count == 0) {
			add_field(c, i);
		}
	}
}

/* `lead` and a blank. */
static void add_lead(struct compiler *c, const char *lead)
{
	if (*lead) {
		out_str(&c->text, lead);
		out_char(&c->text, ' ');
		c->lead = c->text.len;
	}
}

/* The last step; a blank that nothing follows goes. */
static void add_end(struct compiler *c)
{
	c->text.len -= c->lead && c->steps.count == 0 && c->text.len == c->lead;
	add_step(c, (struct message_step){ .op = MESSAGE_END });
}

/* Whether the words of the payload are all that the steps need. */
static bool is_direct(const struct compiler *c, enum value_form form)
{
	vec_foreach (const struct message_step *, step, &c->steps) {
		if (step->op == MESSAGE_STRING || step->op == MESSAGE_PRINTF) {
			return false;
		}
	}
	return form == VALUES_WORDS && !c->message->varies;
}

/* Whether the step may meet a value that is not of its kind. */
static bool needs_check(
	const struct compiler *c, const struct message_step *step, enum value_form form)
{
	return message_is_number(step->op) &&
	       (form == VALUES_ANY || c->event->args[step->arg].type.class == TYPE_STRING);
}

static void link_steps(struct compiler *c, enum value_form form)
{
	bool direct = is_direct(c, form);

	vec_foreach (struct message_step *, step, &c->steps) {
		step->at =
			(uint32_t)(step->arg * (direct ? sizeof(uint64_t) : sizeof(struct value)));
		step->put = message_putter((enum message_op)step->op, needs_check(c, step, form));
	}
	c->message->direct = direct;
	c->message->steps = arena_array(c->arena, struct message_step, c->steps.count);
	memcpy(c->message->steps, c->steps.items, c->steps.count * sizeof(*c->steps.items));
}

void message_compile(struct message *m, struct arena *a, const struct event_class *class,
	const char *lead, enum value_form form)
{
	struct compiler c = { .arena = a, .message = m, .event = class->event };

	*m = (struct message){ .raw = !class->event, .varies = !class->event };
	out_init(&c.text, OUT_TO_MEMORY);
	add_lead(&c, lead);
	if (class->event) {
		m->args = class->event->arg_count;
		add_event(&c);
	}
	add_end(&c);
	link_steps(&c, form);
	vec_fini(&c.steps);
	out_fini(&c.text);
}
