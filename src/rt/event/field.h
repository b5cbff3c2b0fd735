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

struct pairing;

struct fields {
	const struct waymark_event *event;
	const struct pairing *pairing; /* of elapsed(); NULL: the expression has none */
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
	bool is_paired; /* elapsed() has a value, in nanoseconds: */
	uint64_t elapsed;
};

/* Returns the words of a call that its event does not pass: elapsed(). NULL: it has no value. */
static inline const uint64_t *field_own(const struct field_call *call)
{
	return call->is_paired ? &call->elapsed : NULL;
}

/* A field as threads read it in each call. */
struct field_ref {
	unsigned int slot;
	uint16_t word; /* of an integer of at most 64 bits */
	uint64_t mask; /* its bits; 0: it is no such integer */
	uint64_t sign; /* the highest of them if it is signed */
};

/* Returns what threads need of the field at a slot. */
struct field_ref waymark_field_ref(const struct waymark_event *event, unsigned int slot);

/* Does so for the field of that name; returns false if the event has none. */
bool waymark_field_named(
	const struct waymark_event *event, const char *name, struct field_ref *ref);

/* Returns the value of an integer, extended by its sign. */
static inline uint64_t field_word(const struct field_ref *f, const uint64_t *words)
{
	return ((words[f->word] & f->mask) ^ f->sign) - f->sign;
}

/* Mixes bits as the finalizer of splitmix64 does: different numbers become different ones. */
static inline uint64_t field_mix(uint64_t h)
{
	h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
	return h ^ h >> 31;
}

/* Does what field_key() does for a field that is no integer. */
uint64_t waymark_field_key(struct field_call *call, unsigned int slot);

/* Returns a number for the field's value: of different integers, different ones. Any context. */
static inline uint64_t field_key(const struct field_ref *f, struct field_call *call)
{
	return f->mask ? field_mix(field_word(f, call->words)) : waymark_field_key(call, f->slot);
}

/* Does so without mixing the bits of integers. */
static inline uint64_t field_number(const struct field_ref *f, struct field_call *call)
{
	return f->mask ? field_word(f, call->words) : waymark_field_key(call, f->slot);
}

/* Returns the slot of the event's field of that name; false if it has none. */
bool waymark_field_slot(
	const struct waymark_event *event, const char *name, size_t length, unsigned int *slot);

/* For expr_run(); `call` is a struct field_call. Any thread, any signal handler. */
void waymark_field_get(void *call, unsigned int slot, struct expr_value *value);

/* Returns the field's name nearest to a mistyped one; NULL if none is near. */
const char *waymark_field_near(const struct waymark_event *event, const char *name, size_t length);

#endif
