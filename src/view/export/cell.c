/* SPDX-License-Identifier: MIT */
/* Chooses the form of a value by its declared type, and for debug values by their own kind. */
#include "view/export/cell.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "format/debug.h"
#include "view/message/message.h"

/* Written after a value that the recorder cut; C strings contain their own mark. */
#define CUT "..."

static void set_number(struct cell *c, enum cell_kind kind, uint64_t number)
{
	c->kind = kind;
	c->number = number;
}

static void set_made(struct cell *c, char *text, size_t length)
{
	c->kind = CELL_TEXT;
	c->text = c->made = text;
	c->length = length;
}

/* Escapes what is not UTF-8, and marks a value that was cut. */
static COLD void set_odd_text(struct cell *c, const struct value *v, bool is_cut)
{
	char *text = xcalloc(ESCAPE_MAX * v->length + sizeof(CUT) + 8, 1);
	bool is_plain = utf8_invalid(v->text, v->length) == v->length;
	char *end = text;

	if (is_plain) {
		memcpy(text, v->text, v->length);
		end += v->length;
	} else {
		end = message_escape(text, v->text, v->length);
	}
	if (is_cut) {
		memcpy(end, CUT, strlen(CUT));
		end += strlen(CUT);
	}
	set_made(c, text, (size_t)(end - text));
}

static void set_text(struct cell *c, const struct type *t, const struct value *v)
{
	bool is_cut = v->is_cut && t->class != TYPE_STRING;

	if (!v->text) {
		c->kind = CELL_NULL;
	} else if (UNLIKELY(is_cut || utf8_invalid(v->text, v->length) < v->length)) {
		set_odd_text(c, v, is_cut);
	} else {
		c->kind = CELL_TEXT;
		c->text = v->text;
		c->length = v->length;
	}
}

static void set_bytes(struct cell *c, const struct value *v)
{
	c->kind = v->text ? CELL_BYTES : CELL_NULL;
	c->text = v->text;
	c->length = v->length;
}

static void set_shown(struct cell *c, const struct arg *arg, const struct value *v)
{
	char *text = message_value_text(arg, v);
	struct value shown = { .text = text, .length = (uint32_t)strlen(text) };

	set_text(c, &arg->type, &shown);
	if (c->made) {
		free(text);
	} else {
		c->made = text;
	}
}

/* Sets a character as text; false if it does not exist. */
static bool set_character(struct cell *c, const struct value *v)
{
	char *text = xcalloc(UTF8_MAX, 1);
	size_t length = message_put_character(text, v);

	if (length > 0) {
		set_made(c, text, length);
	} else {
		free(text);
	}
	return length > 0;
}

/* Sets a value with its own kind. */
static COLD void set_debug(struct cell *c, const struct arg *arg, const struct value *v)
{
	const struct type *t = &arg->type;
	const struct debug_shape *shape = &debug_shapes[v->debug < DEBUG_KINDS ? v->debug : 0];

	if (v->kind == VALUE_STRING && v->debug == DEBUG_STRING) {
		set_text(c, t, v);
	} else if (v->kind == VALUE_STRING && v->debug == DEBUG_BYTES) {
		set_bytes(c, v);
	} else if (v->kind != VALUE_NUMBER) {
		set_shown(c, arg, v);
	} else if (v->debug == DEBUG_CHAR && set_character(c, v)) {
		return;
	} else if (v->debug == DEBUG_F32 || v->debug == DEBUG_F64) {
		c->kind = CELL_DOUBLE;
		c->real = value_double(v->number, shape->bytes);
	} else if (v->debug == DEBUG_BOOL) {
		set_number(c, CELL_BOOL, v->number != 0);
	} else if (v->debug == DEBUG_POINTER) {
		set_number(c, CELL_POINTER, v->number);
	} else {
		const struct type own = { .class = TYPE_INTEGER,
			.is_signed = shape->form == DEBUG_SIGNED,
			.size64 = shape->bytes };

		set_number(c, own.is_signed ? CELL_SIGNED : CELL_UNSIGNED,
			value_extend(&own, v->number));
	}
}

/* Sets the names of the bits of `number`. */
static COLD void set_bits(struct cell *c, const struct arg *arg, uint64_t number)
{
	char *text = xcalloc(message_names_room(arg->names), 1);

	set_made(c, text, (size_t)(message_put_names(text, arg, number) - text));
}

/* Sets the name of a number; false if it has none. */
static bool set_name(struct cell *c, const struct arg *arg, uint64_t number)
{
	bool is_negative = arg->type.is_signed && (int64_t)number < 0;
	const char *name = message_name_of(arg->names, number, is_negative);

	if (name) {
		c->kind = CELL_TEXT;
		c->text = name;
		c->length = strlen(name);
	} else if (arg->is_flags) {
		struct type bits = arg->type;

		bits.is_signed = false;
		set_bits(c, arg, value_extend(&bits, number));
	}
	return name || arg->is_flags;
}

static void set_integer(struct cell *c, const struct arg *arg, uint64_t number, bool with_names)
{
	const struct type *t = &arg->type;

	number = value_extend(t, number);
	if (with_names && arg->names && set_name(c, arg, number)) {
		return;
	}
	set_number(c,
		t->is_bool     ? CELL_BOOL
		: t->is_signed ? CELL_SIGNED
			       : CELL_UNSIGNED,
		t->is_bool ? number != 0 : number);
}

void cell_set(struct cell *c, const struct arg *arg, const struct value *v, bool with_names)
{
	const struct type *t = &arg->type;

	*c = (struct cell){ .kind = CELL_NULL };
	if (t->class == TYPE_DEBUG) {
		set_debug(c, arg, v);
	} else if (v->kind == VALUE_PAIR) {
		set_shown(c, arg, v);
	} else if (v->kind == VALUE_STRING && t->class == TYPE_BYTES) {
		set_bytes(c, v);
	} else if (v->kind == VALUE_STRING) {
		set_text(c, t, v);
	} else if (v->kind == VALUE_ABSENT) {
		return;
	} else if (t->class == TYPE_INTEGER) {
		set_integer(c, arg, v->number, with_names);
	} else if (t->class == TYPE_FLOAT) {
		c->kind = CELL_DOUBLE;
		c->real = value_double(v->number, t->size64);
	} else { /* also the address of a string, in old traces */
		set_number(c, CELL_POINTER, v->number);
	}
}

bool cell_real(const struct cell *c, double *real)
{
	switch (c->kind) {
	case CELL_SIGNED:
		*real = (double)(int64_t)c->number;
		return true;
	case CELL_UNSIGNED:
	case CELL_BOOL:
	case CELL_POINTER:
		*real = (double)c->number;
		return true;
	case CELL_DOUBLE:
		*real = c->real;
		return true;
	default:
		return false;
	}
}
