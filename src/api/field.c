/* SPDX-License-Identifier: MIT */
/*
 * The fields of a reader's current event.
 */
#include <string.h>

#include "api/reader.h"
#include "format/debug.h"

size_t waymark_reader_field_count(const struct waymark_reader *r)
{
	const struct event_class *class = reader_current_class(r);

	return class && class->event ? class->event->arg_count : 0;
}

/* Returns the declaration of a field, or NULL. */
static const struct arg *get_arg(const struct waymark_reader *r, size_t field)
{
	bool exists = field < waymark_reader_field_count(r);

	return exists ? &r->record.class->event->args[field] : NULL;
}

int waymark_reader_field_find(const struct waymark_reader *r, const char *name)
{
	size_t count = waymark_reader_field_count(r);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(get_arg(r, i)->name, name) == 0) {
			return (int)i;
		}
	}
	return -1;
}

const char *waymark_reader_field_name(const struct waymark_reader *r, size_t field)
{
	const struct arg *arg = get_arg(r, field);

	return arg ? reader_keep(r, arg->name) : NULL;
}

const char *waymark_reader_field_type(const struct waymark_reader *r, size_t field)
{
	const struct arg *arg = get_arg(r, field);

	return arg ? reader_keep(r, arg->type.text) : NULL;
}

int reader_kind_of(const struct type *t)
{
	switch (t->class) {
	case TYPE_STRING:
	case TYPE_TEXT:
		return WAYMARK_FIELD_STRING;
	case TYPE_POINTER:
		return WAYMARK_FIELD_POINTER;
	case TYPE_FLOAT:
		return WAYMARK_FIELD_FLOAT;
	case TYPE_BYTES:
		return WAYMARK_FIELD_BYTES;
	case TYPE_DEBUG:
		return WAYMARK_FIELD_DEBUG;
	default:
		return t->is_signed ? WAYMARK_FIELD_SIGNED : WAYMARK_FIELD_UNSIGNED;
	}
}

int waymark_reader_field_kind(const struct waymark_reader *r, size_t field)
{
	const struct arg *arg = get_arg(r, field);

	return arg ? reader_kind_of(&arg->type) : -1;
}

/* The type and value of a field; NULL for an index that the event does not have. */
struct event_field {
	const struct type *type;
	const struct value *value;
};

static struct event_field get_field(struct waymark_reader *r, size_t i)
{
	const struct arg *arg = get_arg(r, i);

	return arg ? (struct event_field){ &arg->type, &reader_current_values(r)[i] }
		   : (struct event_field){ NULL, NULL };
}

/* Returns the bytes of a float; 0 if the value is no float. */
static size_t float_bytes(const struct type *t, const struct value *v)
{
	if (t->class == TYPE_FLOAT) {
		return t->size64;
	}
	bool is_float = t->class == TYPE_DEBUG && v->kind == VALUE_NUMBER &&
			(v->debug == DEBUG_F32 || v->debug == DEBUG_F64);

	return is_float ? debug_shapes[v->debug].bytes : 0;
}

static bool is_signed(const struct type *t, const struct value *v)
{
	if (t->class != TYPE_DEBUG) {
		return t->is_signed;
	}
	return v->debug == DEBUG_I128 || debug_shapes[v->debug].form == DEBUG_SIGNED;
}

/* Returns a float without its fraction, as the nearest integer of 65 bits with a sign. */
static struct value_pair truncate(double d)
{
	struct value_pair pair = { 0, 0 };

	if (d >= 0x1p64) {
		pair.low = UINT64_MAX;
	} else if (d > -1) {
		pair.low = (uint64_t)d;
	} else if (d <= 0) {
		pair.low = d > -0x1p63 ? (uint64_t)(int64_t)d : UINT64_C(1) << 63;
		pair.high = UINT64_MAX;
	}
	return pair;
}

struct value_pair reader_integer(const struct type *t, const struct value *v)
{
	struct value_pair pair = { 0, 0 };

	if (v && v->kind == VALUE_PAIR) {
		return value_pair(v);
	}
	if (!v || v->kind != VALUE_NUMBER) {
		return pair;
	}
	size_t bytes = float_bytes(t, v);

	if (bytes) {
		return truncate(value_double(v->number, bytes));
	}
	pair.low = t->class == TYPE_DEBUG ? v->number : value_extend(t, v->number);
	pair.high = is_signed(t, v) && (int64_t)pair.low < 0 ? UINT64_MAX : 0;
	return pair;
}

double reader_double(const struct type *t, const struct value *v)
{
	if (v && v->kind == VALUE_NUMBER && float_bytes(t, v)) {
		return value_double(v->number, float_bytes(t, v));
	}
	struct value_pair pair = reader_integer(t, v);

	/* Small numbers of either sign are exact. */
	if (v && is_signed(t, v) && pair.high == (uint64_t)((int64_t)pair.low >> 63)) {
		return (double)(int64_t)pair.low;
	}
	if (v && is_signed(t, v)) {
		return (double)(int64_t)pair.high * 0x1p64 + (double)pair.low;
	}
	return (double)pair.high * 0x1p64 + (double)pair.low;
}

/* Returns a field of the current event as an integer of 128 bits. */
static struct value_pair get_integer(struct waymark_reader *r, size_t i)
{
	struct event_field f = get_field(r, i);

	return reader_integer(f.type, f.value);
}

uint64_t waymark_reader_u64(struct waymark_reader *r, size_t field)
{
	return get_integer(r, field).low;
}

int64_t waymark_reader_i64(struct waymark_reader *r, size_t field)
{
	return (int64_t)get_integer(r, field).low;
}

uint64_t waymark_reader_high64(struct waymark_reader *r, size_t field)
{
	return get_integer(r, field).high;
}

double waymark_reader_double(struct waymark_reader *r, size_t field)
{
	struct event_field f = get_field(r, field);

	return reader_double(f.type, f.value);
}

/* Formats a debug value by {:?}. */
static const char *render(struct waymark_reader *r, size_t field, size_t *length)
{
	struct message m;
	struct arena a;

	arena_init(&a);
	message_compile_field(&m, &a, reader_current_class(r), field);
	const struct value *values = reader_current_values(r);

	r->field.len = 0;
	char *begin = out_reserve(&r->field, message_room(&m, &r->record, values) + 1);
	char *end = message_render(begin, &m, &r->record, values);

	*length = (size_t)(end - begin);
	arena_fini(&a);
	return begin;
}

const char *waymark_reader_string(struct waymark_reader *r, size_t field, size_t *length)
{
	struct event_field f = get_field(r, field);
	bool is_text = f.value && f.value->kind == VALUE_STRING && f.value->text;

	if (f.value && f.type->class == TYPE_DEBUG && f.value->kind != VALUE_ABSENT) {
		return render(r, field, length);
	}
	*length = is_text ? f.value->length : 0;
	return is_text ? f.value->text : NULL;
}
