/* SPDX-License-Identifier: MIT */
/*
 * Measures and decodes the arguments of records. Numbers and strings, which most events have, are
 * handled in short loops; each other form has its function. The reader of native traces measures,
 * the views decode.
 */
#include "read/layout.h"

#include <string.h>

#include "base/compiler.h"
#include "format/debug.h"
#include "read/bytes.h"

static inline size_t align_up(size_t n, size_t align)
{
	return (n + align - 1) & ~(align - 1);
}

/* A place in a payload, and the payload's end. */
struct bounds {
	size_t at;
	size_t left; /* bytes of the payload, counted from its start */
	bool swap;
};

static bool varies(const struct layout_field *f)
{
	return f->form == LAYOUT_STRING || f->form > LAYOUT_PAIR;
}

void layout_finish(struct record_layout *l)
{
	bool any = false;

	l->size = 0;
	for (size_t i = 0; i < l->count; i++) {
		l->is_odd |= l->fields[i].form > LAYOUT_STRING;
		any |= varies(&l->fields[i]);
		l->size = align_up(l->size, l->fields[i].align) + l->fields[i].size;
	}
	l->size = any ? PAYLOAD_VARIES : l->size;
}

size_t layout_offset(const struct record_layout *l, size_t i)
{
	size_t at = 0;

	for (size_t k = 0; k < i; k++) {
		at = align_up(at, l->fields[k].align) + l->fields[k].size;
	}
	return align_up(at, l->fields[i].align);
}

size_t layout_first_varying(const struct record_layout *l)
{
	size_t i = 0;

	while (i < l->count && !varies(&l->fields[i])) {
		i++;
	}
	return i;
}

size_t layout_to_string(const struct record_layout *l)
{
	size_t i = layout_first_varying(l);
	bool is_last = i + 1 == l->count && l->fields[i].form == LAYOUT_STRING;

	return is_last ? layout_offset(l, i) + l->fields[i].size : 0;
}

/* Returns the end of the argument after `at`, of any form; SIZE_MAX if it exceeds the payload. */
static size_t end_of_field(const struct record_layout *l, const struct layout_field *f,
	const unsigned char *payload, struct bounds b)
{
	if (f->form == LAYOUT_DEBUG) {
		return debug_end(payload, b.at, b.left, b.swap, l->pointer_bytes);
	}
	if (f->form > LAYOUT_PAIR) {
		return debug_blob_end(payload, b.at, b.left, b.swap);
	}
	size_t at = align_up(b.at, f->align) + f->size;

	if (f->form != LAYOUT_STRING || at > b.left) {
		return at <= b.left ? at : SIZE_MAX;
	}
	uint32_t length = load32(payload + at - sizeof(length), b.swap);

	return length <= b.left - at ? at + length : SIZE_MAX;
}

static NOINLINE size_t measure_odd(
	const struct record_layout *l, const unsigned char *payload, size_t left, bool swap)
{
	struct bounds b = { 0, left, swap };

	for (size_t i = 0; i < l->count && b.at != SIZE_MAX; i++) {
		b.at = end_of_field(l, &l->fields[i], payload, b);
	}
	return b.at;
}

size_t layout_measure(
	const struct record_layout *l, const unsigned char *payload, size_t left, bool swap)
{
	size_t at = 0;

	if (UNLIKELY(l->is_odd)) {
		return measure_odd(l, payload, left, swap);
	}
	for (const struct layout_field *f = l->fields; f < l->fields + l->count; f++) {
		at = align_up(at, f->align) + f->size;
		if (UNLIKELY(at > left)) {
			return SIZE_MAX;
		}
		if (f->form != LAYOUT_STRING) {
			continue;
		}
		uint32_t length = load32(payload + at - sizeof(length), swap);

		if (UNLIKELY(length > left - at)) {
			return SIZE_MAX;
		}
		at += length;
	}
	return at;
}

/* Loads a number of 1, 2, 4 or 8 bytes, extended to 64 bits. */
static inline uint64_t load(const unsigned char *p, size_t size, bool is_signed, bool swap)
{
	uint64_t v = 0;

	if (size == 8) {
		return load64(p, swap);
	}
	if (size == 4) {
		v = load32(p, swap);
	} else if (size == 2) {
		uint16_t half;

		memcpy(&half, p, sizeof(half));
		v = swap ? __builtin_bswap16(half) : half;
	} else {
		v = *p;
	}
	size_t unused = 64 - 8 * size;

	return is_signed ? (uint64_t)((int64_t)(v << unused) >> unused) : v;
}

void layout_set_string(struct value *value, const unsigned char *p, uint32_t length)
{
	bool is_marked = length > 0 && p[length - 1] == '\0';

	value->kind = VALUE_STRING;
	value->length = length - is_marked;
	value->is_cut = is_marked && length > 1;
	value->text = is_marked && length == 1 ? NULL : (const char *)p;
}

void layout_set_pair(struct value *value, const unsigned char *p, bool swap)
{
	value->kind = VALUE_PAIR;
	value->pair = p;
	value->is_swapped = swap;
}

void layout_set_debug(
	struct value *value, unsigned int kind, const unsigned char *p, size_t size, bool swap)
{
	value->debug = (uint8_t)kind;
	if (debug_shapes[kind].form == DEBUG_PAIR) {
		layout_set_pair(value, p, swap);
		return;
	}
	value->kind = VALUE_NUMBER;
	value->length = (uint32_t)size;
	value->number = load(p, size, debug_shapes[kind].form == DEBUG_SIGNED, swap);
}

/* Sets text, bytes, or a blob of a debug value. */
static void set_blob(struct value *value, const unsigned char *bytes, bool swap)
{
	uint32_t size = load32(bytes - 2 * sizeof(size), swap);

	value->kind = VALUE_STRING;
	value->length = load32(bytes - sizeof(size), swap);
	value->text = size == DEBUG_NULL && value->length == 0 ? NULL : (const char *)bytes;
	value->is_cut = value->text && value->length < size;
}

/* Decodes the argument after `at`, which was measured. */
static void decode_field(const struct record_layout *l, const struct layout_field *f,
	struct value *value, const unsigned char *payload, struct bounds b)
{
	size_t at = align_up(b.at, f->align);

	if (f->form == LAYOUT_TEXT || f->form == LAYOUT_BYTES) {
		set_blob(value, payload + debug_blob_at(at), b.swap);
	} else if (f->form == LAYOUT_PAIR) {
		layout_set_pair(value, payload + at, b.swap);
	} else if (f->form == LAYOUT_DEBUG) {
		unsigned int kind = payload[at];
		size_t size = debug_bytes(kind, l->pointer_bytes);

		value->debug = (uint8_t)kind;
		if (size) {
			layout_set_debug(
				value, kind, payload + debug_number_at(at + 1, size), size, b.swap);
		} else {
			set_blob(value, payload + debug_blob_at(at + 1), b.swap);
		}
	} else {
		value->number = load(payload + at, f->size, f->is_signed, b.swap);
		value->kind = VALUE_NUMBER;
		if (f->form == LAYOUT_STRING) {
			layout_set_string(value, payload + at + f->size, (uint32_t)value->number);
		}
	}
}

static NOINLINE void decode_odd(const struct record_layout *l, struct value *values,
	const unsigned char *payload, struct bounds b)
{
	for (size_t i = 0; i < l->count; i++) {
		decode_field(l, &l->fields[i], &values[i], payload, b);
		b.at = end_of_field(l, &l->fields[i], payload, b);
	}
}

void layout_decode(const struct record_layout *l, struct value *values,
	const unsigned char *payload, bool swap)
{
	size_t at = 0;

	if (UNLIKELY(l->is_odd)) {
		/* The payload was measured before, so its arguments end inside it. */
		decode_odd(l, values, payload, (struct bounds){ 0, SIZE_MAX, swap });
		return;
	}
	for (size_t i = 0; i < l->count; i++) {
		const struct layout_field *f = &l->fields[i];

		at = align_up(at, f->align);
		values[i].number = load(payload + at, f->size, f->is_signed, swap);
		values[i].kind = VALUE_NUMBER;
		at += f->size;
		if (f->form == LAYOUT_STRING) {
			uint32_t length = (uint32_t)values[i].number;

			layout_set_string(&values[i], payload + at, length);
			at += length;
		}
	}
}

/* Returns where the argument after `at` has its content, behind its length or kind. */
static size_t start_of_content(const struct record_layout *l, const struct layout_field *f,
	const unsigned char *p, size_t at)
{
	if (f->form == LAYOUT_TEXT || f->form == LAYOUT_BYTES) {
		return debug_blob_at(at);
	}
	if (f->form == LAYOUT_DEBUG) {
		size_t bytes = debug_bytes(p[at], l->pointer_bytes);

		return bytes ? debug_number_at(at + 1, bytes) : debug_blob_at(at + 1);
	}
	return align_up(at, f->align) + (f->form == LAYOUT_STRING ? f->size : 0);
}

void layout_hide(const struct record_layout *l, size_t i, unsigned char *payload)
{
	const struct layout_field *f = &l->fields[i];
	struct bounds b = { 0, SIZE_MAX, false };

	for (size_t k = 0; k < i; k++) {
		b.at = end_of_field(l, &l->fields[k], payload, b);
	}
	size_t at = start_of_content(l, f, payload, b.at);
	size_t end = end_of_field(l, f, payload, b);
	bool is_text = f->form == LAYOUT_STRING || f->form == LAYOUT_TEXT;

	memset(payload + at, is_text ? '*' : 0, end - at);
}

struct place place_of(const struct reader *r, const struct event_class *class, int arg)
{
	const struct record_layout *l = class->layout;

	if (arg < 0 || !class->event || (size_t)arg >= class->event->arg_count) {
		return (struct place){ 0 };
	}
	size_t index = (size_t)arg;
	struct place p = { .arg = &class->event->args[index], .index = (uint16_t)index };

	if (r->form == VALUES_LAID_OUT && l && index < layout_first_varying(l) &&
		l->fields[index].form == LAYOUT_NUMBER && p.arg->type.class != TYPE_DEBUG) {
		p.is_direct = true;
		p.is_signed = l->fields[index].is_signed;
		p.size = l->fields[index].size;
		p.offset = (uint32_t)layout_offset(l, index);
	}
	return p;
}
