/* SPDX-License-Identifier: MIT */
/* Arguments in a packet, see read/layout.h. */
#include "read/layout.h"

#include <string.h>

#include "base/compiler.h"
#include "read/bytes.h"

static inline size_t align_up(size_t n, size_t align)
{
	return (n + align - 1) & ~(align - 1);
}

void layout_finish(struct layout *l)
{
	l->size = 0;
	for (size_t i = 0; i < l->count; i++) {
		if (l->fields[i].is_string) {
			l->size = PAYLOAD_VARIES;
			return;
		}
		l->size = align_up(l->size, l->fields[i].align) + l->fields[i].size;
	}
}

size_t layout_offset(const struct layout *l, size_t i)
{
	size_t at = 0;

	for (size_t k = 0; k < i; k++) {
		at = align_up(at, l->fields[k].align) + l->fields[k].size;
	}
	return align_up(at, l->fields[i].align);
}

size_t layout_first_string(const struct layout *l)
{
	size_t i = 0;

	while (i < l->count && !l->fields[i].is_string) {
		i++;
	}
	return i;
}

size_t layout_to_string(const struct layout *l)
{
	size_t i = layout_first_string(l);

	return i + 1 == l->count ? layout_offset(l, i) + l->fields[i].size : 0;
}

size_t layout_measure(const struct layout *l, const unsigned char *payload, size_t left, bool swap)
{
	size_t at = 0;

	for (const struct layout_field *f = l->fields; f < l->fields + l->count; f++) {
		at = align_up(at, f->align) + f->size;
		if (UNLIKELY(at > left)) {
			return SIZE_MAX;
		}
		if (!f->is_string) {
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

static uint64_t load(const unsigned char *p, const struct layout_field *f, bool swap)
{
	uint64_t v = 0;

	if (f->size == 8) {
		return load64(p, swap);
	}
	if (f->size == 4) {
		v = load32(p, swap);
	} else if (f->size == 2) {
		uint16_t half;

		memcpy(&half, p, sizeof(half));
		v = swap ? __builtin_bswap16(half) : half;
	} else {
		v = *p;
	}
	unsigned int unused = 64 - 8u * f->size;

	return f->is_signed ? (uint64_t)((int64_t)(v << unused) >> unused) : v;
}

void layout_set_string(struct value *value, const unsigned char *p, uint32_t length)
{
	bool is_marked = length > 0 && p[length - 1] == '\0';

	value->kind = VALUE_STRING;
	value->length = length - is_marked;
	value->is_cut = is_marked && length > 1;
	value->text = is_marked && length == 1 ? NULL : (const char *)p;
}

void layout_decode(
	const struct layout *l, struct value *values, const unsigned char *payload, bool swap)
{
	size_t at = 0;

	for (size_t i = 0; i < l->count; i++) {
		const struct layout_field *f = &l->fields[i];

		at = align_up(at, f->align);
		values[i].number = load(payload + at, f, swap);
		values[i].kind = VALUE_NUMBER;
		at += f->size;
		if (f->is_string) {
			uint32_t length = (uint32_t)values[i].number;

			layout_set_string(&values[i], payload + at, length);
			at += length;
		}
	}
}
