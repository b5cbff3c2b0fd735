/* SPDX-License-Identifier: MIT */
/* The arguments of simpletrace records as values; format/simple.h has the layout. */
#include <stddef.h>

#include "base/compiler.h"
#include "format/debug.h"
#include "format/simple.h"
#include "read/bytes.h"
#include "read/layout.h"
#include "read/simple/simple.h"

#define V0_ARGS ARRAY_SIZE(((struct simple_v0_record *)NULL)->args)

const struct value *simple_decode_numbers(struct reader *base, const struct record *rec)
{
	bool swap = base->swap;
	const unsigned char *p = rec->payload;
	const unsigned char *end = p + rec->payload_size;

	for (struct value *value = base->values; p < end; value++, p += sizeof(uint64_t)) {
		value->kind = VALUE_NUMBER;
		value->number = load64(p, swap);
	}
	return base->values;
}

/* One string of at most `left` bytes with its length word; returns what it takes, 0: no room. */
static inline size_t decode_string(
	struct value *value, const unsigned char *p, size_t left, bool swap)
{
	if (left < sizeof(uint32_t)) {
		return 0;
	}
	value->kind = VALUE_STRING;
	value->is_cut = false;
	value->length = load32(p, swap);
	value->text = (const char *)p + sizeof(uint32_t);
	return value->length <= left - sizeof(uint32_t) ? sizeof(uint32_t) + value->length : 0;
}

/* The kind of a debug value is its first byte; false where the rest is not what that asks for. */
static bool set_debug(struct value *value, bool swap)
{
	const unsigned char *p = (const unsigned char *)value->text;

	if (value->length == 0 || p[0] >= DEBUG_KINDS) {
		return false;
	}
	size_t bytes = debug_shapes[p[0]].bytes;

	value->debug = p[0];
	value->length--;
	value->text++;
	if (bytes == 0) {
		return true;
	}
	if (bytes == DEBUG_POINTER_BYTES) { /* of the traced host: nobody else says it */
		bytes = value->length == sizeof(uint32_t) ? sizeof(uint32_t) : sizeof(uint64_t);
	}
	if (value->length != bytes) {
		return false;
	}
	layout_set_debug(value, p[0], p + 1, bytes, swap);
	return true;
}

/* What is stored as a string and is none, or not one of C: as decode_string(). */
static COLD size_t decode_odd(
	struct value *value, const struct type *t, const unsigned char *p, size_t left, bool swap)
{
	size_t taken = decode_string(value, p, left, swap);
	bool fits = true;

	if (taken && t->class == TYPE_DEBUG) {
		fits = set_debug(value, swap);
	} else if (taken && type_is_pair(t)) {
		fits = value->length == 2 * sizeof(uint64_t);
		layout_set_pair(value, (const unsigned char *)value->text, swap);
	}
	return fits ? taken : 0;
}

/* Arguments with strings among them; false when they do not fill the record exactly. */
bool simple_decode_mixed(struct simple_reader *r, struct record *rec)
{
	const struct event *event = rec->class->event;
	const unsigned char *p = rec->payload;
	const unsigned char *end = p + rec->payload_size;
	struct value *value = r->base.values;

	rec->values = value;
	for (size_t i = 0; i < event->arg_count; i++, value++) {
		size_t left = (size_t)(end - p);
		size_t taken = sizeof(uint64_t);
		const struct type *t = &event->args[i].type;

		if (t->class == TYPE_STRING) {
			taken = decode_string(value, p, left, r->base.swap);
		} else if (UNLIKELY(!type_is_number(t))) {
			taken = decode_odd(value, t, p, left, r->base.swap);
		} else if (left >= taken) {
			value->kind = VALUE_NUMBER;
			value->number = load64(p, r->base.swap);
		}
		if (taken == 0 || taken > left) {
			return false;
		}
		p += taken;
	}
	return p == end;
}

/* Six numbers, whatever was declared: strings were recorded as addresses. */
const struct value *simple_decode_v0(struct reader *base, const struct record *rec)
{
	size_t count = rec->class->event->arg_count;

	for (size_t i = 0; i < count; i++) {
		base->values[i] = (struct value){ .kind = VALUE_ABSENT };
		if (i < V0_ARGS) {
			base->values[i].kind = VALUE_NUMBER;
			base->values[i].number = load64(rec->payload + 8 * i, base->swap);
		}
	}
	return base->values;
}
