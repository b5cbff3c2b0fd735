/* SPDX-License-Identifier: MIT */
/*
 * The source text of a trace point's arguments is split at the same commas as the compiler splits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rt/event/site.h"

static const struct {
	const char *source;
	const char *arguments[4];
} cases[] = {
	{ "\"name, (\", a, b", { "a", "b" } },
	{ "\"name\",  f(a, b) ,\n(c, d)", { "f(a, b)", "(c, d)" } },
	{ "\"name\", \",\\\"(\", ',', '\\'', x", { "\",\\\"(\"", "','", "'\\''", "x" } },
	{ "\"name\", 1'000'000, 0x1'f, u8'a', L','", { "1'000'000", "0x1'f", "u8'a'", "L','" } },
	{ "\"name\", R\"(a,\"\\)\", u8R\"x()\", ()x\", y",
		{ "R\"(a,\"\\)\"", "u8R\"x()\", ()x\"", "y" } },
	{ "R\"(name, \"()\", a", { "a" } },
	{ "\"name\", BAR\"x\", y", { "BAR\"x\"", "y" } },
	{ "\"name\", R\"unfinished, y", { "R\"unfinished, y" } },
	{ "\"name\"", { NULL } },
};

static void test_arguments(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *source = cases[i].source;
		struct site_span s;

		for (size_t k = 0; k < 4 && cases[i].arguments[k]; k++) {
			assert_true(waymark_site_next(&source, &s));
			assert_int_equal(s.length, strlen(cases[i].arguments[k]));
			assert_memory_equal(s.text, cases[i].arguments[k], s.length);
		}
		if (!cases[i].arguments[3]) {
			assert_false(waymark_site_next(&source, &s));
			assert_int_equal(s.length, 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_arguments) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
