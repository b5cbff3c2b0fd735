/* SPDX-License-Identifier: MIT */
/* Numbers of texts: equal bytes have equal numbers, and released texts use no memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/match/tuples.h"

static void the_same_bytes_are_one_number(void **unused)
{
	struct tuples t = { 0 };
	uint32_t a = tuples_hold(&t, "a\0b", 3);
	uint32_t b = tuples_hold(&t, "a\0c", 3);
	uint32_t none = tuples_hold(&t, "", 0);

	(void)unused;
	assert_int_not_equal(a, b);
	assert_int_not_equal(none, a);
	assert_int_equal(tuples_hold(&t, "a\0b", 3), a);
	assert_int_equal(tuples_find(&t, "a\0c", 3), b);
	assert_int_equal(tuples_find(&t, "a", 1), TUPLES_NONE);
	tuples_release(&t, a);
	assert_int_equal(tuples_find(&t, "a\0b", 3), a);
	tuples_release(&t, a);
	assert_int_equal(tuples_find(&t, "a\0b", 3), TUPLES_NONE);
	assert_int_equal(tuples_find(&t, "", 0), none);
	tuples_fini(&t);
}

static uint32_t hold(struct tuples *t, int i)
{
	char text[32];

	return tuples_hold(t, text, (size_t)snprintf(text, sizeof(text), "request %d", i));
}

/* Released numbers are removed; numbers that collide with them are kept. */
static void memory_is_that_of_what_is_held(void **unused)
{
	struct tuples t = { 0 };
	uint32_t numbers[100];

	(void)unused;
	for (int i = 0; i < 100000; i++) {
		uint32_t *number = &numbers[i % 100];

		if (i >= 100) {
			assert_int_equal(hold(&t, i - 100), *number);
			tuples_release(&t, *number);
			tuples_release(&t, *number);
		}
		*number = hold(&t, i);
	}
	assert_int_equal(t.count, 100);
	assert_true(t.all.count <= 101);
	assert_true(t.capacity <= 512);
	tuples_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_bytes_are_one_number),
		cmocka_unit_test(memory_is_that_of_what_is_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
