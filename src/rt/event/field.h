/* SPDX-License-Identifier: MIT */
/*
 * The fields of a declared event for expressions: their names, types, units and names of values, by
 * the event's descriptor, and their values during a call.
 *
 * A call passes its arguments as words of 64 bits: integers of unsigned type, as wide as they are
 * declared, addresses, and fractions as a double. Text and bytes take two words, the address and
 * the length; 128 bits take two, the low one first; a struct waymark_debug is passed by its
 * address. The number of a scope is not passed.
 */
#ifndef RT_EVENT_FIELD_H
#define RT_EVENT_FIELD_H

#include <waymark/record.h>

#include "expr/expr.h"

struct fields {
	const struct waymark_event *event;
	unsigned int count; /* of its arguments */
	struct value_name **names; /* by argument; NULL: none */
};

/* Reads what the event declares of its fields. Returns false if memory ran out. */
bool waymark_fields_init(struct fields *f, const struct waymark_event *event);
void waymark_fields_fini(struct fields *f);

/* For struct expr_scope and expr_compile(); `fields` is a struct fields. */
bool waymark_field_find(
	const void *fields, const char *name, size_t length, struct expr_field *field);
bool waymark_field_word(const void *fields, unsigned int slot, struct expr_word *word);

/* The call of an event. */
struct field_call {
	const struct waymark_event *event;
	const uint64_t *words;
};

/* For expr_run(); `call` is a struct field_call. Any thread, any signal handler. */
void waymark_field_get(void *call, unsigned int slot, struct expr_value *value);

/* Returns the field's name nearest to a mistyped one; NULL if none is near. */
const char *waymark_field_near(const struct waymark_event *event, const char *name, size_t length);

#endif
