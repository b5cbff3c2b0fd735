/* SPDX-License-Identifier: MIT */
/*
 * The fields that distinguish records: arguments of the event, its process, its thread. A field is
 * searched by name once for each event class; values of two events are compared as bytes. One
 * thread.
 */
#ifndef ANALYSE_FIELDS_H
#define ANALYSE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hash.h"
#include "base/vec.h"
#include "read/keys.h"
#include "read/record.h"

/* Fields of every record: "@pid", "@tid", and without the '@' if no argument has that name. */
#define FIELD_PID (-1)
#define FIELD_TID (-2)
#define FIELD_NONE (-3)

/* Only values of one kind can be equal. */
enum field_kind {
	FIELD_UNKNOWN,
	FIELD_INTEGER, /* also pointers, bool and char: 64 bits, extended by their type's sign */
	FIELD_WIDE, /* integers of 128 bits */
	FIELD_FLOAT,
	FIELD_DOUBLE,
	FIELD_TEXT,
	FIELD_BYTES,
	FIELD_DEBUG, /* a value with its own kind */
};

/* Returns the index of the event's argument of that name, FIELD_PID, FIELD_TID or FIELD_NONE. */
int field_find(const struct event_class *c, const char *name);
enum field_kind field_kind(const struct event_class *c, int field);

struct field_bytes {
	char *items;
	size_t count;
	size_t capacity;
};

/*
 * Appends a value as bytes: two rows of values have the same bytes only if the values are equal.
 * Returns false if the value is absent or cut.
 */
bool field_append(
	struct field_bytes *to, const struct record *rec, const struct value *values, int field);

/* Reads a value that field_append() has written, and that keeps the bytes; returns their end. */
const char *field_read(const char *bytes, struct value *v);

/* Reads the value of an integer field; returns false if it is absent. */
bool field_integer(
	const struct record *rec, const struct value *values, int field, uint64_t *number);

/* Formats a value that is not a string for people; the caller frees the text. */
typedef char *field_text_fn(const struct arg *arg, const struct value *value);

/* Returns the value of a field as text, which the caller frees. NULL if it is absent. */
char *field_text(
	const struct record *rec, const struct value *values, int field, field_text_fn *text);

/* Returns a key without values: the trace and process of a record, and its thread if wanted. */
static inline struct key field_owner(const struct record *rec, bool is_across, bool is_of_thread)
{
	if (is_across) {
		return (struct key){ 0 };
	}
	return (struct key){
		.trace = rec->trace, .pid = rec->pid, .tid = is_of_thread ? rec->tid : 0
	};
}

/* Limit of the groups by the values of a field. */
#define FIELD_GROUPS_MAX 1000

/*
 * Returns the number of a value's group, from 1; frees its text. Returns 0 if that is NULL, or if
 * the field `name` has too many values, an error.
 */
uint32_t field_group(struct texts *groups, char *text, const char *name, char error[512]);

/* Lists the names of an event's fields, separated by commas; cut to `size`. */
void field_list(const struct event_class *c, char *text, size_t size);

#endif
