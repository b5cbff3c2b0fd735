/* SPDX-License-Identifier: MIT */
/* The fields of an event, as waymark/reader.h has them. */
#include <string.h>

#include "api/reader_object.h"

size_t waymark_reader_field_count(const struct waymark_reader *r)
{
	const struct event_class *class = reader_current(r);

	return class && class->event ? class->event->arg_count : 0;
}

/* The declaration of a field, or NULL. */
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

int waymark_reader_field_kind(const struct waymark_reader *r, size_t field)
{
	const struct arg *arg = get_arg(r, field);

	if (!arg) {
		return -1;
	}
	switch (arg->type.class) {
	case TYPE_STRING:
		return WAYMARK_FIELD_STRING;
	case TYPE_POINTER:
		return WAYMARK_FIELD_POINTER;
	default:
		return arg->type.is_signed ? WAYMARK_FIELD_SIGNED : WAYMARK_FIELD_UNSIGNED;
	}
}

uint64_t waymark_reader_u64(struct waymark_reader *r, size_t field)
{
	const struct arg *arg = get_arg(r, field);
	const struct value *value = arg ? &reader_get_values(r)[field] : NULL;

	if (!value || value->kind != VALUE_NUMBER) {
		return 0;
	}
	return value_extend(&arg->type, value->number);
}

int64_t waymark_reader_i64(struct waymark_reader *r, size_t field)
{
	return (int64_t)waymark_reader_u64(r, field);
}

const char *waymark_reader_string(struct waymark_reader *r, size_t field, size_t *length)
{
	const struct arg *arg = get_arg(r, field);
	const struct value *value = arg ? &reader_get_values(r)[field] : NULL;
	bool is_text = value && value->kind == VALUE_STRING && value->text;

	*length = is_text ? value->length : 0;
	return is_text ? value->text : NULL;
}
