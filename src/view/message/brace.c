/* SPDX-License-Identifier: MIT */
/*
 * Renders values with src/brace: placeholders of messages with braces, values that printf has no
 * conversion for, and their forms in JSON.
 */
#include "view/message/putters.h"

#include <string.h>

#include "base/memory.h"
#include "format/debug.h"
#include "view/message/json.h"
#include "view/message/number.h"

/* Printed after a truncated value; C strings and trees contain their own mark. */
#define CUT "..."

/* Returns the kind of a value, one of enum debug_kind. */
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

/* True if the value has the form of its kind; some formats cannot store all kinds. */
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

/* Makes the value for src/brace; cuts numbers to the width of their kind. */
static struct waymark_debug debug_of(unsigned int kind, const struct value *v)
{
	const struct debug_shape *shape = &debug_shapes[kind];
	struct waymark_debug value;

	if (shape->form == DEBUG_BLOB) {
		value = waymark_debug_text(v->text, v->length);
		value.kind = kind;
		return value;
	}
	if (shape->form == DEBUG_PAIR) {
		struct value_pair pair = value_pair(v);

		return waymark_debug_wide((enum waymark_debug_kind)kind, pair.high, pair.low);
	}
	if (kind == DEBUG_F32) {
		uint32_t bits = (uint32_t)v->number;
		float f;

		memcpy(&f, &bits, sizeof(f));
		return waymark_debug_f32(f);
	}
	/* The width of a pointer does not depend on its kind. */
	unsigned int unused = shape->bytes < sizeof(uint64_t) ? 64 - 8u * shape->bytes : 0;
	uint64_t number = v->number << unused;

	number = shape->form == DEBUG_SIGNED ? (uint64_t)((int64_t)number >> unused)
					     : number >> unused;
	value = waymark_debug_number((enum waymark_debug_kind)kind, number);
	value.length = kind == DEBUG_POINTER ? v->length : 0;
	return value;
}

/* Renders the step's argument, which has the form of its kind. */
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

char *message_brace_text(const struct type *t, const struct value *v)
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

/* Writes a character as a string, an invalid one as a number. */
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

/* True for NULL, a value of another form, and floats that are not finite, which JSON lacks. */
static bool is_null(unsigned int kind, const struct value *v)
{
	uint64_t exponent = kind == DEBUG_F32	? UINT64_C(0x7f800000)
			    : kind == DEBUG_F64 ? UINT64_C(0x7ff0000000000000)
						: 0;

	return !is_of_kind(kind, v) || (v->kind == VALUE_STRING && !v->text) ||
	       (exponent && (v->number & exponent) == exponent);
}

static char *put_json(char *out, const struct message_step *step, const struct value *v)
{
	unsigned int kind = kind_of(step->placeholder->type, v);

	if (is_null(kind, v)) {
		memcpy(out, "null", 4);
		return out + 4;
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
		memcpy(out, "\"0x", 3);
		out = number_hex(out + 3, v->number, 1);
		*out = '"';
		return out + 1;
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
