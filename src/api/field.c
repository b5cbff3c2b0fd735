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

	return arg ? arg->name : NULL;
}

const char *waymark_reader_field_type(const struct waymark_reader *r, size_t field)
{
	const struct arg *arg = get_arg(r, field);

	return arg ? arg->type.text : NULL;
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

/* Returns the bytes of a float; 0 if the field is no float. */
static size_t float_bytes(const struct event_field *f)
{
	if (f->type->class == TYPE_FLOAT) {
		return f->type->size64;
	}
	bool is_float = f->type->class == TYPE_DEBUG && f->value->kind == VALUE_NUMBER &&
			(f->value->debug == DEBUG_F32 || f->value->debug == DEBUG_F64);

	return is_float ? debug_shapes[f->value->debug].bytes : 0;
}

static bool is_signed(const struct event_field *f)
{
	if (f->type->class != TYPE_DEBUG) {
		return f->type->is_signed;
	}
	return f->value->debug == DEBUG_I128 || debug_shapes[f->value->debug].form == DEBUG_SIGNED;
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

/* Returns the value as an integer of 128 bits. */
static struct value_pair get_integer(struct waymark_reader *r, size_t i)
{
	struct event_field f = get_field(r, i);
	struct value_pair pair = { 0, 0 };

	if (f.value && f.value->kind == VALUE_PAIR) {
		return value_pair(f.value);
	}
	if (!f.value || f.value->kind != VALUE_NUMBER) {
		return pair;
	}
	size_t bytes = float_bytes(&f);

	if (bytes) {
		return truncate(value_double(f.value->number, bytes));
	}
	pair.low = f.type->class == TYPE_DEBUG ? f.value->number
					       : value_extend(f.type, f.value->number);
	pair.high = is_signed(&f) && (int64_t)pair.low < 0 ? UINT64_MAX : 0;
	return pair;
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

	if (f.value && f.value->kind == VALUE_NUMBER && float_bytes(&f)) {
		return value_double(f.value->number, float_bytes(&f));
	}
	struct value_pair pair = get_integer(r, field);

	/* Small numbers of either sign are exact. */
	if (f.value && is_signed(&f) && pair.high == (uint64_t)((int64_t)pair.low >> 63)) {
		return (double)(int64_t)pair.low;
	}
	if (f.value && is_signed(&f)) {
		return (double)(int64_t)pair.high * 0x1p64 + (double)pair.low;
	}
	return (double)pair.high * 0x1p64 + (double)pair.low;
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
