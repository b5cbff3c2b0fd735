/* SPDX-License-Identifier: MIT */
/* Placeholders of messages with braces, see view/message/brace.h. */
#include "view/message/brace.h"

#include <string.h>

#include "base/memory.h"
#include "format/debug.h"
#include "view/message/json.h"
#include "view/message/number.h"
#include "view/message/printf.h"

/* What follows a value that the recorder cut; a string of C and a tree have it in them. */
#define CUT "..."

bool message_is_odd(const struct type *t)
{
	return t->class == TYPE_FLOAT || (t->class != TYPE_STRING && !type_is_number(t));
}

/* ---- Steps ---- */

static bool is_plain(const struct brace_spec *s)
{
	return s->width < 0 && s->precision < 0 && !s->plus && !s->alternate && !s->zero;
}

static bool shows_decimal(const struct brace_spec *s)
{
	return is_plain(s) && (s->type == BRACE_DISPLAY || s->type == BRACE_DEBUG);
}

/* How many digits {:04x} and the like ask for; 0: there is more to it. */
static uint8_t hex_digits(const struct brace_spec *s)
{
	int prefix = s->alternate ? 2 : 0;

	if ((s->type != BRACE_LOWER_HEX && s->type != BRACE_DEBUG_LOWER) || s->plus ||
		s->precision >= 0 || s->width > 16 + prefix || (s->width >= 0 && !s->zero)) {
		return 0;
	}
	return s->width > prefix + 1 ? (uint8_t)(s->width - prefix) : 1;
}

/* The value is cut to its type, and extended only in decimal. */
static void set_cast(struct message_step *step, const struct type *t)
{
	unsigned int unused = 64 - 8u * t->size64;

	step->mask = UINT64_MAX >> unused;
	step->sign = step->op == MESSAGE_SIGNED ? step->mask ^ step->mask >> 1 : 0;
	step->result = UINT64_MAX;
}

/* The step of an integer; MESSAGE_BRACE: there is none for it. */
static enum message_op integer_op(const struct type *t, const struct brace_spec *s)
{
	if (t->class != TYPE_INTEGER || t->is_bool || t->size64 == 0 || message_is_odd(t) ||
		t->descriptor) {
		return MESSAGE_BRACE;
	}
	if (shows_decimal(s)) {
		return t->is_signed ? MESSAGE_SIGNED : MESSAGE_UNSIGNED;
	}
	return hex_digits(s) ? MESSAGE_HEX : MESSAGE_BRACE;
}

static void add_step(struct steps *c, size_t i, enum message_op op, const struct brace_spec *spec)
{
	struct message_placeholder *p = arena_new(c->arena, struct message_placeholder);

	*p = (struct message_placeholder){ *spec, &c->event->args[i].type };
	c->message->varies = c->message->measures = true;
	/* Numbers of 128 bits, and what stands around. */
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
	if (step.op != MESSAGE_STRING) {
		set_cast(&step, t);
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

/* ---- Values ---- */

/* What a value is, as debug values are told apart. */
static unsigned int kind_of(const struct type *t, const struct value *v)
{
	static const uint8_t integers[17][2] = {
		[1] = { DEBUG_U8, DEBUG_I8 },
		[2] = { DEBUG_U16, DEBUG_I16 },
		[4] = { DEBUG_U32, DEBUG_I32 },
		[8] = { DEBUG_U64, DEBUG_I64 },
		[16] = { DEBUG_U128, DEBUG_I128 },
	};

	switch (t->class) {
	case TYPE_FLOAT:
		return t->size64 == sizeof(float) ? DEBUG_F32 : DEBUG_F64;
	case TYPE_STRING:
	case TYPE_TEXT:
		return DEBUG_STRING;
	case TYPE_BYTES:
		return DEBUG_BYTES;
	case TYPE_DEBUG:
		return v->debug;
	default:
		return t->is_bool ? DEBUG_BOOL : integers[t->size64][t->is_signed];
	}
}

/* Whether the value is what its kind asks for: a format may have had no room for it. */
static bool is_of_kind(unsigned int kind, const struct value *v)
{
	static const uint8_t kinds[] = {
		[DEBUG_UNSIGNED] = VALUE_NUMBER,
		[DEBUG_SIGNED] = VALUE_NUMBER,
		[DEBUG_PAIR] = VALUE_PAIR,
		[DEBUG_BLOB] = VALUE_STRING,
	};

	return kind < DEBUG_KINDS && v->kind == kinds[debug_shapes[kind].form];
}

/* A float of 32 bits, from those. */
static struct waymark_debug float_value(uint64_t bits)
{
	uint32_t half = (uint32_t)bits;
	float f;

	memcpy(&f, &half, sizeof(f));
	return waymark_debug_f32(f);
}

static struct waymark_debug blob_value(unsigned int kind, const struct value *v)
{
	struct waymark_debug value = waymark_debug_text(v->text, v->length);

	value.kind = kind;
	return value;
}

/* The value for src/brace; numbers are of their kind's width, whatever is above it. */
static struct waymark_debug debug_of(unsigned int kind, const struct value *v)
{
	const struct debug_shape *shape = &debug_shapes[kind];

	if (shape->form == DEBUG_BLOB) {
		return blob_value(kind, v);
	}
	if (shape->form == DEBUG_PAIR) {
		struct value_pair pair = value_pair(v);

		return waymark_debug_wide((enum waymark_debug_kind)kind, pair.high, pair.low);
	}
	if (kind == DEBUG_F32) {
		return float_value(v->number);
	}
	/* A pointer's width is not a kind's. */
	unsigned int unused = shape->bytes < sizeof(uint64_t) ? 64 - 8u * shape->bytes : 0;
	uint64_t number = v->number << unused;

	number = shape->form == DEBUG_SIGNED ? (uint64_t)((int64_t)number >> unused)
					     : number >> unused;
	struct waymark_debug value = waymark_debug_number((enum waymark_debug_kind)kind, number);

	value.length = kind == DEBUG_POINTER ? v->length : 0;
	return value;
}

/* Renders the step's argument, which is of its kind. */
static void render(struct brace_sink *s, const struct message_step *step, const struct value *v)
{
	const struct message_placeholder *p = step->placeholder;
	struct waymark_debug value = debug_of(kind_of(p->type, v), v);

	if (p->type->descriptor) {
		value.kind = p->type->descriptor;
	}
	brace_render(s, &p->spec, &value);
	if (v->kind == VALUE_STRING && v->is_cut && p->type->class != TYPE_STRING &&
		value.kind != DEBUG_TREE) {
		brace_put(s, CUT, strlen(CUT));
	}
}

static bool is_fit(const struct message_step *step, const struct value *v)
{
	return is_of_kind(kind_of(step->placeholder->type, v), v);
}

size_t message_measure(const struct message_step *step, const struct value *values)
{
	const struct value *v = &values[step->arg];
	bool is_tree = kind_of(step->placeholder->type, v) == DEBUG_TREE;
	struct brace_sink s;

	if (!is_fit(step, v) || (step->op == MESSAGE_JSON_ODD && !is_tree)) {
		return 0;
	}
	brace_sink_buffer(&s, NULL, 0);
	render(&s, step, v);
	return s.length;
}

char *message_value_text(const struct type *t, const struct value *v)
{
	struct message_placeholder plain = { .spec = BRACE_SPEC_DEFAULT, .type = t };
	const struct message_step step = { .placeholder = &plain };
	struct brace_sink s;

	plain.spec.alternate = t->class == TYPE_POINTER;
	plain.spec.type = t->class == TYPE_DEBUG     ? BRACE_DEBUG
			  : t->class == TYPE_POINTER ? BRACE_LOWER_HEX
						     : BRACE_DISPLAY;
	if (!is_fit(&step, v)) {
		return xstrdup("?");
	}
	brace_sink_buffer(&s, NULL, 0);
	render(&s, &step, v);
	char *text = xcalloc(s.length + 1, 1);

	brace_sink_buffer(&s, text, s.length + 1);
	render(&s, &step, v);
	return text;
}

/* ---- Output ---- */

static void write_escaped(void *context, const char *text, size_t length)
{
	char **out = context;

	*out = message_escape(*out, text, length);
}

char *message_put_brace(char *out, const struct message_step *step, const void *args)
{
	const struct value *v = (const struct value *)args + step->arg;
	struct brace_sink s;

	out = message_put_lead(out, step);
	if (!is_fit(step, v)) {
		return message_next(message_put_misfit(out, v), step, args);
	}
	brace_sink_callback(&s, write_escaped, &out);
	render(&s, step, v);
	return message_next(out, step, args);
}

static void write_plain(void *context, const char *text, size_t length)
{
	char **out = context;

	memcpy(*out, text, length);
	*out += length;
}

static void write_json(void *context, const char *text, size_t length)
{
	char **out = context;

	*out = json_put_text(*out, text, length);
}

static char *put_rendered(
	char *out, const struct message_step *step, const struct value *v, brace_write_fn *write)
{
	struct brace_sink s;

	brace_sink_callback(&s, write, &out);
	render(&s, step, v);
	return out;
}

static char *put_quoted(char *out, const struct message_step *step, const struct value *v)
{
	*out++ = '"';
	out = put_rendered(out, step, v, write_json);
	*out = '"';
	return out + 1;
}

static char *put_hex(char *out, const struct value *v)
{
	*out++ = '"';
	for (size_t i = 0; i < v->length; i++) {
		out = number_hex(out, (unsigned char)v->text[i], 2);
	}
	*out = '"';
	return out + 1;
}

static char *put_address(char *out, uint64_t v)
{
	memcpy(out, "\"0x", 3);
	out = number_hex(out + 3, v, 1);
	*out = '"';
	return out + 1;
}

static char *put_null(char *out)
{
	memcpy(out, "null", 4);
	return out + 4;
}

/* A character as a string; what is none stays a number. */
static char *put_character(char *out, const struct message_step *step, const struct value *v)
{
	struct message_placeholder display = *step->placeholder;
	struct message_step by_display = *step;
	bool exists = v->number < 0x110000 && (v->number < 0xd800 || v->number > 0xdfff);

	if (!exists) {
		return number_decimal(out, v->number);
	}
	display.spec.type = BRACE_DISPLAY;
	by_display.placeholder = &display;
	return put_quoted(out, &by_display, v);
}

/* Infinite ones, and what is no number, JSON has not. */
static bool is_finite(unsigned int kind, uint64_t bits)
{
	if (kind == DEBUG_F32) {
		return (bits & UINT64_C(0x7f800000)) != UINT64_C(0x7f800000);
	}
	return (bits & UINT64_C(0x7ff0000000000000)) != UINT64_C(0x7ff0000000000000);
}

static char *put_json(char *out, const struct message_step *step, const struct value *v)
{
	unsigned int kind = kind_of(step->placeholder->type, v);

	if (!is_of_kind(kind, v) || (v->kind == VALUE_STRING && !v->text)) {
		return put_null(out);
	}
	switch (kind) {
	case DEBUG_STRING:
		return json_put_string(out, v->text, v->length);
	case DEBUG_BYTES:
		return put_hex(out, v);
	case DEBUG_TREE:
		return put_quoted(out, step, v);
	case DEBUG_CHAR:
		return put_character(out, step, v);
	case DEBUG_POINTER:
		return put_address(out, v->number);
	case DEBUG_F32:
	case DEBUG_F64:
		if (!is_finite(kind, v->number)) {
			return put_null(out);
		}
		/* fallthrough */
	default:
		return put_rendered(out, step, v, write_plain);
	}
}

char *message_put_json_odd(char *out, const struct message_step *step, const void *args)
{
	const struct value *v = (const struct value *)args + step->arg;

	out = put_json(message_put_lead(out, step), step, v);
	return message_next(out, step, args);
}
