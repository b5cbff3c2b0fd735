/* SPDX-License-Identifier: MIT */
/*
 * Finds fields of records by name, and returns their values as text, and as bytes that are equal
 * only for equal values. The record's own pid and tid count as fields.
 */
#include "analyse/match/fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

int field_find(const struct event_class *c, const char *name)
{
	for (size_t i = 0; c->event && i < c->event->arg_count; i++) {
		if (strcmp(c->event->args[i].name, name) == 0) {
			return (int)i;
		}
	}
	name += *name == '@';
	return strcmp(name, "pid") == 0	  ? FIELD_PID
	       : strcmp(name, "tid") == 0 ? FIELD_TID
					  : FIELD_NONE;
}

enum field_kind field_kind(const struct event_class *c, int field)
{
	static const enum field_kind kinds[] = {
		[TYPE_INTEGER] = FIELD_INTEGER,
		[TYPE_FLOAT] = FIELD_DOUBLE,
		[TYPE_POINTER] = FIELD_INTEGER,
		[TYPE_STRING] = FIELD_TEXT,
		[TYPE_TEXT] = FIELD_TEXT,
		[TYPE_BYTES] = FIELD_BYTES,
		[TYPE_DEBUG] = FIELD_DEBUG,
		[TYPE_TCG] = FIELD_INTEGER,
	};

	if (field < 0) {
		return FIELD_INTEGER;
	}
	const struct type *t = &c->event->args[field].type;

	if (type_is_pair(t)) {
		return FIELD_WIDE;
	}
	return t->class == TYPE_FLOAT && t->size64 == sizeof(float) ? FIELD_FLOAT : kinds[t->class];
}

bool field_integer(
	const struct record *rec, const struct value *values, int field, uint64_t *number)
{
	if (field < 0) {
		*number = field == FIELD_PID ? rec->pid : rec->tid;
		return true;
	}
	*number = values ? values[field].number : 0;
	return values && values[field].kind == VALUE_NUMBER;
}

static void append(struct field_bytes *to, const void *bytes, size_t size)
{
	vec_append(to, (const char *)bytes, size);
}

/* Appends a value. `debug` is the kind of a TYPE_DEBUG value, else 0. */
static bool append_value(struct field_bytes *to, const struct value *v, unsigned char debug)
{
	struct value_pair pair;

	/* Distinguishes NULL from "". */
	const unsigned char head[] = { v->kind, debug, v->kind == VALUE_STRING && !v->text };

	append(to, head, sizeof(head));
	switch ((enum value_kind)v->kind) {
	case VALUE_NUMBER:
		append(to, &v->number, sizeof(v->number));
		return true;
	case VALUE_PAIR:
		pair = value_pair(v);
		append(to, &pair, sizeof(pair));
		return true;
	case VALUE_STRING:
		append(to, &v->length, sizeof(v->length));
		append(to, v->text, v->text ? v->length : 0);
		return !v->is_cut;
	case VALUE_ABSENT:
		break;
	}
	return false;
}

bool field_append(
	struct field_bytes *to, const struct record *rec, const struct value *values, int field)
{
	uint64_t number;

	if (field >= 0) {
		bool is_debug = field_kind(rec->class, field) == FIELD_DEBUG;

		return values &&
		       append_value(to, &values[field], is_debug ? values[field].debug : 0);
	}
	field_integer(rec, values, field, &number);
	return append_value(to, &(struct value){ .kind = VALUE_NUMBER, .number = number }, 0);
}

const char *field_read(const char *bytes, struct value *v)
{
	*v = (struct value){ .kind = (uint8_t)bytes[0], .debug = (uint8_t)bytes[1] };
	bool is_null = bytes[2];

	bytes += 3;
	switch ((enum value_kind)v->kind) {
	case VALUE_NUMBER:
		memcpy(&v->number, bytes, sizeof(v->number));
		return bytes + sizeof(v->number);
	case VALUE_PAIR:
		v->pair = (const unsigned char *)bytes;
		return bytes + sizeof(struct value_pair);
	case VALUE_STRING:
		memcpy(&v->length, bytes, sizeof(v->length));
		bytes += sizeof(v->length);
		v->text = is_null ? NULL : bytes;
		return bytes + (is_null ? 0 : v->length);
	case VALUE_ABSENT:
		break;
	}
	return bytes;
}

char *field_text(
	const struct record *rec, const struct value *values, int field, field_text_fn *text)
{
	if (field < 0) {
		char *id = NULL;
		int length = asprintf(&id, "%" PRIu32, field == FIELD_PID ? rec->pid : rec->tid);

		return length < 0 ? NULL : id;
	}
	if (!values || values[field].kind == VALUE_ABSENT) {
		return NULL;
	}
	const struct value *v = &values[field];

	if (v->kind == VALUE_STRING && !v->text) {
		return xstrdup("(null)");
	}
	return field_kind(rec->class, field) == FIELD_TEXT
		       ? strndup(v->text, v->length)
		       : text(&rec->class->event->args[field], v);
}

uint32_t field_group(struct texts *groups, char *text, const char *name, char error[512])
{
	uint32_t group = 0;

	if (text && (groups->count < FIELD_GROUPS_MAX || hash_get(&groups->numbers, text))) {
		group = texts_number(groups, text, strlen(text)) + 1;
	} else if (text) {
		error_format(error, 512, "'%.60s' has more than %d values, too many to group by",
			name, FIELD_GROUPS_MAX);
	}
	free(text);
	return group;
}

void field_list(const struct event_class *c, char *text, size_t size)
{
	size_t length = 0;

	*text = '\0';
	for (size_t i = 0; c->event && i < c->event->arg_count && length < size; i++) {
		length += (size_t)snprintf(
			text + length, size - length, "%s, ", c->event->args[i].name);
	}
	if (length < size) {
		snprintf(text + length, size - length, "@pid, @tid");
	}
}
