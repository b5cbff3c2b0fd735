/* SPDX-License-Identifier: MIT */
/* The text layer of front ends: UTF-8, nearest names, the limit of messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "text/diag.h"
#include "text/nearest.h"
#include "base/utf8.h"

static void only_well_formed_utf_8_is_valid(void **state)
{
	static const struct {
		const char *text;
		size_t valid; /* bytes before the first invalid byte */
	} rows[] = {
		{ "plain", 5 },
		{ "gr\xc3\xbc\xc3\x9f", 6 },
		{ "\xe2\x82\xac", 3 },
		{ "\xf0\x9f\x98\x80", 4 },
		{ "a\x80", 1 },
		{ "\xc3", 0 },
		{ "ab\xc0\xaf", 2 },
		{ "\xe0\x80\xaf", 0 },
		{ "\xed\xa0\x80", 0 },
		{ "\xf4\x90\x80\x80", 0 },
		{ "\xf5\x80\x80\x80", 0 },
		{ "\xff", 0 },
		{ "\xe2\x82", 0 },
		{ "\xe2\x28\xa1", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(utf8_invalid(rows[i].text, strlen(rows[i].text)), rows[i].valid);
	}
}

static const char *nearest(const char *word)
{
	static const char *const names[] = { "disable", "tcg", "vcpu" };

	return nearest_name((struct span){ word, strlen(word) }, names, ARRAY_SIZE(names));
}

static void a_misspelt_name_is_recognised(void **state)
{
	char too_long[200];

	(void)state;
	memset(too_long, 'd', sizeof(too_long) - 1);
	too_long[sizeof(too_long) - 1] = '\0';
	assert_string_equal(nearest("disabled"), "disable");
	assert_string_equal(nearest("disabel"), "disable");
	assert_string_equal(nearest("tgc"), "tcg");
	assert_string_equal(nearest("cpu"), "vcpu");
	assert_null(nearest("inline"));
	assert_null(nearest("x"));
	assert_null(nearest(""));
	assert_null(nearest(too_long));
}

static void messages_of_a_source_are_capped_but_counted(void **state)
{
	const struct source first = { "first", "line\n", 5 };
	const struct source second = { "second", "line\n", 5 };
	struct diag d;
	size_t lines = 0;

	(void)state;
	diag_init(&d);
	for (unsigned int i = 0; i < 1000; i++) {
		diag_error(&d, ((struct location){ &first, 0 }), NULL, "wrong");
	}
	diag_warning(&d, ((struct location){ &first, 0 }), NULL, "odd");
	diag_error(&d, ((struct location){ &second, 0 }), NULL, "wrong");
	diag_error(NULL, ((struct location){ &second, 0 }), NULL, "nobody wants to know");
	assert_int_equal(d.errors, 1001);
	assert_int_equal(d.warnings, 1);
	for (size_t i = 0; i < d.out.len; i++) {
		lines += d.out.data[i] == '\n';
	}
	assert_int_equal(lines, (DIAG_SHOWN_MAX + 2) * 3 + 1);
	diag_fini(&d);
}

static void places_are_counted_from_one(void **state)
{
	const struct source source = { "s", "one\ntwo\n\nfour", 13 };

	(void)state;
	assert_int_equal(location_line((struct location){ &source, 0 }), 1);
	assert_int_equal(location_line((struct location){ &source, 3 }), 1);
	assert_int_equal(location_line((struct location){ &source, 4 }), 2);
	assert_int_equal(location_line((struct location){ &source, 9 }), 4);
	assert_int_equal(location_line((struct location){ &source, 13 }), 4);
	assert_int_equal(location_column((struct location){ &source, 6 }), 3);
	assert_int_equal(location_column((struct location){ &source, 13 }), 5);
}

static void an_excerpt_shows_no_character_that_misleads(void **state)
{
	static const char text[] = "a\xc2\x9b\xe2\x80\xae\xff\x1b\xc3\xa4";
	const struct source source = { "s", text, sizeof(text) - 1 };
	static const char expected[] = "s:1:2: error: odd\na????\xc3\xa4\n ^\n";
	struct diag d;

	(void)state;
	diag_init(&d);
	diag_error(&d, ((struct location){ &source, 1 }), NULL, "odd");
	assert_int_equal(d.out.len, sizeof(expected) - 1);
	assert_memory_equal(d.out.data, expected, d.out.len);
	diag_fini(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_well_formed_utf_8_is_valid),
		cmocka_unit_test(a_misspelt_name_is_recognised),
		cmocka_unit_test(messages_of_a_source_are_capped_but_counted),
		cmocka_unit_test(places_are_counted_from_one),
		cmocka_unit_test(an_excerpt_shows_no_character_that_misleads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
