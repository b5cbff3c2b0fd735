/* SPDX-License-Identifier: MIT */
/*
 * What a record is told apart by: some of its event's fields, its process, its thread. Fields
 * are looked for by name once an event class; values of two events are compared as bytes.
 * One thread.
 */
#ifndef ANALYSE_FIELDS_H
#define ANALYSE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "read/record.h"

/* Names that are the record's own: "@pid"; without the sign where the event has no such field. */
#define FIELD_PID (-1)
#define FIELD_TID (-2)
#define FIELD_NONE (-3)

/* Which values can be the same: those of one kind. */
enum field_kind {
	FIELD_UNKNOWN,
	FIELD_INTEGER, /* also pointers, bool and char: 64 bits, extended by their type's sign */
	FIELD_WIDE, /* integers of 128 bits */
	FIELD_FLOAT,
	FIELD_DOUBLE,
	FIELD_TEXT,
	FIELD_BYTES,
	FIELD_DEBUG, /* a value that says itself what it is */
};

/* FIELD_NONE: the event has none of that name. */
int field_find(const struct event_class *c, const char *name);
enum field_kind field_kind(const struct event_class *c, int field);

struct field_bytes {
	char *items;
	size_t count;
	size_t capacity;
};

/*
 * Appends a value, so that no two rows of values are the same bytes unless they are the same
 * values. False: it is not there, or not whole.
 */
bool field_append(
	struct field_bytes *to, const struct record *rec, const struct value *values, int field);

/* The value of a field that is an integer; false: it is not there. */
bool field_integer(
	const struct record *rec, const struct value *values, int field, uint64_t *number);

/* A value that is there as text for people, on the heap. */
typedef char *field_text_fn(const struct type *type, const struct value *value);

/* For people, on the heap, what is no string by `text`; NULL: it is not there. */
char *field_text(
	const struct record *rec, const struct value *values, int field, field_text_fn *text);

/* The names of an event's fields, with commas; cut short where `size` is too little. */
void field_list(const struct event_class *c, char *text, size_t size);

#endif
