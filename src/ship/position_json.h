/* SPDX-License-Identifier: MIT */
/* A reader's position as an array of JSON, for the spool's file of places. For source.c. */
#ifndef SHIP_POSITION_JSON_H
#define SHIP_POSITION_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <jansson.h>

#include "read/reader.h"

/* A position: its numbers, in the order of this list. */
static inline void put_position(uint64_t numbers[11], const struct reader_position *p)
{
	const uint64_t all[11] = { p->stream, p->packet, p->offset, p->ticks, p->discarded,
		p->evicted, p->is_open, p->gap.lost, p->gap.overwritten, p->gap.rotated,
		p->gap.missing };

	memcpy(numbers, all, sizeof(all));
}

static inline struct reader_position take_position(const uint64_t n[11])
{
	return (struct reader_position){ n[0], n[1], n[2], n[3], n[4], n[5], n[6] != 0,
		{ n[7], n[8], n[9], n[10] } };
}

static inline json_t *numbers_as_json(const uint64_t *numbers, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++) {
		json_array_append_new(array, json_integer((json_int_t)numbers[i]));
	}
	return array;
}

static inline bool take_numbers(const json_t *array, uint64_t *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		numbers[i] = (uint64_t)json_integer_value(json_array_get(array, i));
	}
	return json_array_size(array) == count;
}

#endif
