/* SPDX-License-Identifier: MIT */
/*
 * Compiles an event's format into the steps of a message: text, conversions of printf and
 * placeholders. Runs once for each event class, not for each record.
 */
#include "view/message/message.h"

#include <string.h>

#include "view/message/number.h"
#include "view/message/putters.h"
#include "view/message/steps.h"

char *message_name(struct arena *a, const struct event_class *class)
{
	size_t length = strlen(class->name);
	char *name = arena_alloc(a, ESCAPE_MAX * length + 8);

	*message_escape(name, class->name, length) = '\0';
	return name;
}

static void add_text(struct steps *c, const char *text, size_t length)
{
	char *end = message_escape(out_reserve(&c->text, ESCAPE_MAX * length + 8), text, length);

	c->text.len = (size_t)(end - c->text.data);
}

/*
 * Returns the width of `%0<width>x`, 1 for `%x`; 0 for a conversion that prints more than digits.
 */
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

/* Returns the step of a conversion without flags, width and precision; else MESSAGE_PRINTF. */
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

/* Returns the bytes that width and precision can add to a step. */
static size_t padding_room(const struct conversion *c)
{
	if (c->width_arg != FORMAT_NO_ARG || c->precision_arg != FORMAT_NO_ARG) {
		return 2 * MESSAGE_WIDTH_MAX;
	}
	return (size_t)(c->width > 0 ? cut_width(c->width) : 0) +
	       (size_t)(c->precision > 0 ? cut_width(c->precision) : 0);
}

static void add_conversion(struct steps *c, const struct conversion *conversion)
{
	int count = (int)c->event->arg_count;

	if (conversion->arg < 0 || conversion->arg >= count || conversion->width_arg >= count ||
		conversion->precision_arg >= count) {
		add_text(c, "?", 1);
		return;
	}
	if (conversion->spec) {
		message_add_placeholder(c, conversion);
		return;
	}
	if (strchr("diuxXo", conversion->letter) &&
		steps_add_names(c, (size_t)conversion->arg,
			conversion->letter == 'x' || conversion->letter == 'X')) {
		return;
	}
	bool is_signed = conversion->letter == 'd' || conversion->letter == 'i';
	bool is_decimal = is_plain(conversion) && (is_signed || conversion->letter == 'u');

	if (is_decimal && steps_add_unit(c, (size_t)conversion->arg, is_signed)) {
		return;
	}
	const struct type *type = &c->event->args[conversion->arg].type;
	struct message_step step = {
		.arg = (uint16_t)conversion->arg,
		.op = (uint8_t)plain_op(conversion),
		.digits = conversion->letter == 'x' ? hex_digits(conversion) : 1,
		.conversion = conversion,
	};

	steps_cast(&step, type, conversion->length, is_signed);
	if (conversion->letter == 'c') { /* needs no cast: only its lowest byte is printed */
		step.mask = step.result = UINT64_MAX;
		step.sign = 0;
	}
	if (step.op == MESSAGE_PRINTF) {
		c->message->room += padding_room(conversion) + 2 * NUMBER_ROOM;
	}
	if (type->class == TYPE_FLOAT) {
		step.digits = type->size64;
		c->message->room += MESSAGE_FLOAT_ROOM;
	}
	steps_simplify(&step);
	steps_add(c, step);
}

static void add_format(struct steps *c, const struct format *format)
{
	for (size_t i = 0; i < format->count; i++) {
		const struct segment *segment = &format->segments[i];

		add_text(c, segment->text, segment->len);
		c->next = i + 1 < format->count ? (struct span){ segment[1].text, segment[1].len }
						: (struct span){ "", 0 };
		if (segment->has_conversion) {
			add_conversion(c, &segment->conversion);
		}
	}
}

/* Adds ` name=value`, in the form of the type. */
static void add_field(struct steps *c, size_t i)
{
	const struct arg *arg = &c->event->args[i];
	bool hex = arg->type.class == TYPE_POINTER || arg->type.class == TYPE_TCG;
	struct message_step step = { .arg = (uint16_t)i, .digits = 1 };

	if (c->text.len > c->lead || c->steps.count) {
		add_text(c, " ", 1);
	}
	add_text(c, arg->name, strlen(arg->name));
	add_text(c, hex ? "=0x" : "=", hex ? 3 : 1);
	c->next = (struct span){ "", 0 };
	if (steps_add_names(c, i, false) || steps_add_unit(c, i, arg->type.is_signed)) {
		return;
	}
	if (message_is_odd(&arg->type)) {
		message_add_plain(c, i, MESSAGE_BRACE);
		return;
	}
	steps_cast(&step, &arg->type, "", arg->type.is_signed);
	step.op = hex ? MESSAGE_HEX : arg->type.is_signed ? MESSAGE_SIGNED : MESSAGE_PROMOTED;
	if (arg->type.class == TYPE_STRING) {
		step.op = MESSAGE_STRING;
	}
	steps_simplify(&step);
	steps_add(c, step);
}

/* Adds those of the fields that the event has. */
static void add_fields(struct steps *c, const struct message_look *look)
{
	for (size_t i = 0; i < look->field_count; i++) {
		int arg = event_find_arg(c->event, look->fields[i], strlen(look->fields[i]));

		if (arg >= 0) {
			c->message->varies |= c->event->args[arg].type.class == TYPE_STRING;
			add_field(c, (size_t)arg);
		}
	}
}

/* Adds the message, and after it the number of a scope, which no format contains. */
static void add_event(struct steps *c)
{
	const struct event *event = c->event;
	const struct format *f = &event->format;
	bool is_empty = f->style == FORMAT_BRACES && f->source && f->source[0] == '\0';
	bool all = f->count == 0 && !is_empty; /* no format exists, or it does not fit */

	add_format(c, &event->format);
	for (size_t i = 0; i < event->arg_count; i++) {
		const struct arg *arg = &event->args[i];

		c->message->varies |= arg->type.class == TYPE_STRING;
		if (all || arg->is_scope) {
			add_field(c, i);
		}
	}
}

void message_compile_look(struct message *m, struct arena *a, const struct event_class *class,
	const struct message_look *look, enum value_form form)
{
	struct steps c;

	steps_init(&c, m, a, class);
	m->put_raw = class->event ? NULL : message_put_raw;
	m->expansion = ESCAPE_MAX;
	if (*look->lead) {
		out_str(&c.text, look->lead);
		out_char(&c.text, ' ');
		c.lead = c.text.len;
	}
	if (class->event && look->field_count) {
		add_fields(&c, look);
	} else if (class->event) {
		add_event(&c);
	}
	/* If the message is empty, removes the blank after the lead. */
	c.text.len -= c.lead && c.steps.count == 0 && c.text.len == c.lead;
	steps_add(&c, (struct message_step){ .op = MESSAGE_END });
	steps_link(&c, form);
}

void message_compile(struct message *m, struct arena *a, const struct event_class *class,
	const char *lead, enum value_form form)
{
	const struct message_look look = { .lead = lead };

	message_compile_look(m, a, class, &look, form);
}

void message_compile_field(
	struct message *m, struct arena *a, const struct event_class *class, size_t i)
{
	struct steps c;

	steps_init(&c, m, a, class);
	m->expansion = ESCAPE_MAX;
	message_add_plain(&c, i, MESSAGE_BRACE);
	steps_add(&c, (struct message_step){ .op = MESSAGE_END });
	steps_link(&c, VALUES_ANY);
}
