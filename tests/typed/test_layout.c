/* SPDX-License-Identifier: MIT */
/*
 * Arguments of other types than numbers and strings, in either byte order and damaged: they are
 * measured and decoded, or refused.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "format/debug.h"
#include "read/layout.h"

#define FIELDS 7
#define VALUES 7

/* { u8, debug, f32, u128, text, bytes, u16 } */
static struct record_layout *make_layout(void)
{
	static const struct layout_field fields[FIELDS] = {
		{ .size = 1, .align = 1 },
		{ .size = 1, .align = 1, .form = LAYOUT_DEBUG },
		{ .size = 4, .align = 4, .form = LAYOUT_FLOAT },
		{ .size = 16, .align = 8, .form = LAYOUT_PAIR },
		{ .size = 4, .align = 4, .form = LAYOUT_TEXT },
		{ .size = 4, .align = 4, .form = LAYOUT_BYTES },
		{ .size = 2, .align = 2 },
	};
	struct record_layout *l = calloc(1, sizeof(*l) + sizeof(fields));

	assert_non_null(l);
	l->count = FIELDS;
	l->pointer_bytes = 8;
	memcpy(l->fields, fields, sizeof(fields));
	layout_finish(l);
	return l;
}

struct payload {
	unsigned char bytes[256];
	size_t at;
	bool big;
};

static void put(struct payload *p, uint64_t v, size_t size)
{
	p->at = (p->at + size - 1) / size * size;
	for (size_t i = 0; i < size; i++) {
		size_t byte = p->big ? size - 1 - i : i;

		p->bytes[p->at + i] = (unsigned char)(v >> 8 * byte);
	}
	p->at += size;
}

static void put_blob(struct payload *p, const char *text, uint32_t size)
{
	put(p, size, 4);
	put(p, strlen(text), 4);
	memcpy(p->bytes + p->at, text, strlen(text));
	p->at += strlen(text);
}

/* Puts the record of make_layout() with a debug value of a number, at `size` bytes. */
static void put_record(struct payload *p, unsigned int kind, uint64_t v, size_t size)
{
	put(p, 200, 1);
	put(p, kind, 1);
	put(p, v, size);
	put(p, 0x3f800000, 4);
	put(p, 2, 8); /* the low half comes first in either byte order */
	put(p, 1, 8);
	put_blob(p, "cut", 5);
	put_blob(p, "xy", 2);
	put(p, 0x1234, 2);
}

static const bool this_is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

static void check_values(const struct value *v)
{
	assert_int_equal(v[0].number, 200);
	assert_int_equal(v[1].debug, DEBUG_I32);
	assert_int_equal(v[1].kind, VALUE_NUMBER);
	assert_int_equal(v[1].number, -5);
	assert_int_equal(v[2].number, 0x3f800000);
	assert_int_equal(v[3].kind, VALUE_PAIR);
	assert_int_equal(value_pair(&v[3]).low, 2);
	assert_int_equal(value_pair(&v[3]).high, 1);
	assert_int_equal(v[4].kind, VALUE_STRING);
	assert_int_equal(v[4].length, 3);
	assert_memory_equal(v[4].text, "cut", 3);
	assert_true(v[4].is_cut);
	assert_int_equal(v[5].length, 2);
	assert_false(v[5].is_cut);
	assert_int_equal(v[6].number, 0x1234);
}

static void both_byte_orders_give_the_same_values(void **state)
{
	struct record_layout *l = make_layout();
	struct value values[VALUES];

	(void)state;
	assert_int_equal(l->size, PAYLOAD_VARIES);
	for (int big = 0; big < 2; big++) {
		struct payload p = { .big = big };
		bool swap = p.big != this_is_big;

		put_record(&p, DEBUG_I32, (uint64_t)-5, 4);
		memset(values, 0xa5, sizeof(values));
		assert_int_equal(layout_measure(l, p.bytes, sizeof(p.bytes), swap), p.at);
		layout_decode(l, values, p.bytes, swap);
		check_values(values);
	}
	free(l);
}

static void debug_values_of_every_width_lie_aligned(void **state)
{
	struct record_layout *l = make_layout();
	struct value values[VALUES];

	(void)state;
	for (unsigned int kind = 0; kind < DEBUG_KINDS; kind++) {
		struct payload p = { .big = this_is_big };
		size_t bytes = debug_bytes(kind, 8);

		if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) {
			continue;
		}
		put_record(&p, kind, 1, bytes);
		assert_int_equal(layout_measure(l, p.bytes, p.at, false), p.at);
		layout_decode(l, values, p.bytes, false);
		assert_int_equal(values[1].number, 1);
		assert_int_equal(values[1].debug, kind);
		assert_int_equal(values[6].number, 0x1234);
	}
	free(l);
}

static void a_record_that_ends_early_is_none(void **state)
{
	struct record_layout *l = make_layout();
	struct payload p = { .big = this_is_big };

	(void)state;
	put_record(&p, DEBUG_U64, 1, 8);
	for (size_t left = 0; left < p.at; left++) {
		/* In memory of exactly that size, so that a read beyond it is detected. */
		unsigned char *part = malloc(left + 1);

		assert_non_null(part);
		memcpy(part, p.bytes, left);
		assert_true(layout_measure(l, part, left, false) == SIZE_MAX);
		free(part);
	}
	free(l);
}

static void lengths_and_kinds_that_cannot_be_are_refused(void **state)
{
	static const uint32_t lengths[] = { 200, UINT32_MAX, UINT32_MAX - 7, INT32_MAX };
	struct record_layout *l = make_layout();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct payload p = { .big = this_is_big };

		put(&p, 200, 1);
		put(&p, DEBUG_STRING, 1);
		put(&p, 3, 4);
		put(&p, lengths[i], 4);
		assert_true(layout_measure(l, p.bytes, 128, false) == SIZE_MAX);
	}
	struct payload p = { .big = this_is_big };

	put_record(&p, DEBUG_KINDS, 0, 1);
	assert_true(layout_measure(l, p.bytes, sizeof(p.bytes), false) == SIZE_MAX);
	free(l);
}

static void null_differs_from_empty(void **state)
{
	struct record_layout *l = make_layout();
	struct value values[VALUES];

	(void)state;
	for (int is_null = 0; is_null < 2; is_null++) {
		struct payload p = { .big = this_is_big };

		put(&p, 200, 1);
		put(&p, DEBUG_STRING, 1);
		put_blob(&p, "", is_null ? DEBUG_NULL : 0);
		put(&p, 0, 4);
		put(&p, 0, 8);
		put(&p, 0, 8);
		put_blob(&p, "", 0);
		put_blob(&p, "", 0);
		put(&p, 0, 2);
		assert_int_equal(layout_measure(l, p.bytes, p.at, false), p.at);
		layout_decode(l, values, p.bytes, false);
		assert_int_equal(values[1].text == NULL, is_null);
		assert_false(values[1].is_cut);
	}
	free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_byte_orders_give_the_same_values),
		cmocka_unit_test(debug_values_of_every_width_lie_aligned),
		cmocka_unit_test(a_record_that_ends_early_is_none),
		cmocka_unit_test(lengths_and_kinds_that_cannot_be_are_refused),
		cmocka_unit_test(null_differs_from_empty),
	};

	return cmocka_run_group_tests_name("layouts of typed values", tests, NULL, NULL);
}
