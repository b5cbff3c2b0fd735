/* SPDX-License-Identifier: MIT */
/* Regular expressions of StratoVirt's dialect: matches and errors. */
#include <stdlib.h>
#include <string.h>

#include "base/rust_regex.h"
#include "rt/event/pattern.h"
#include "unit.h"

static char why[160];

static bool finds(const char *regex, const char *name)
{
	char *pattern = waymark_rust_regex_pattern(regex, why, sizeof(why));
	struct waymark_error error;
	struct pattern p;

	if (!pattern) {
		fail_msg("'%s': %s", regex, why);
	}
	if (waymark_pattern_init(&p, pattern, &error) < 0) {
		fail_msg("'%s': %s", regex, error.text);
	}
	bool found = waymark_pattern_matches_text(&p, name);

	waymark_pattern_fini(&p);
	free(pattern);
	return found;
}

static enum pattern_kind kind(const char *regex)
{
	char *pattern = waymark_rust_regex_pattern(regex, why, sizeof(why));
	struct pattern p;

	assert_int_equal(waymark_pattern_init(&p, pattern, NULL), 0);
	waymark_pattern_fini(&p);
	free(pattern);
	return p.kind;
}

static void search_finds_any_part_of_a_name(void **state)
{
	(void)state;
	assert_true(finds("usb_xhci_run", "usb_xhci_runtime_read"));
	assert_true(finds("read$", "usb_xhci_runtime_read"));
	assert_false(finds("read$", "usb_xhci_reads"));
	assert_true(finds("^usb", "usb_xhci"));
	assert_false(finds("^usb", "xusb_xhci"));
	assert_true(finds("^usb$", "usb"));
	assert_false(finds("^usb$", "usbs"));
	assert_false(finds("^usb$", "ausb"));
	assert_false(finds("longer_than_the_name", "name"));
}

/* Not a glob: the star repeats the letter before it. */
static void star_repeats_the_letter_before_it(void **state)
{
	(void)state;
	assert_true(finds("virtio*_x", "virti_x"));
	assert_true(finds("virtio*", "virti_anything"));
	assert_false(finds("^virtio*$", "virtio_read"));
}

static void words_need_no_compiled_expression(void **state)
{
	(void)state;
	assert_int_equal(kind("virtio_read"), PATTERN_PART);
	assert_int_equal(kind("^virtio_read$"), PATTERN_PART);
	assert_int_equal(kind("a]}b"), PATTERN_PART);
	assert_int_equal(kind("^"), PATTERN_REGEX);
	assert_int_equal(kind("^$"), PATTERN_REGEX);
	assert_int_equal(kind("virtio.read"), PATTERN_REGEX);
	assert_int_equal(kind("a|b"), PATTERN_REGEX);
	assert_int_equal(kind("a$b"), PATTERN_REGEX);
}

static void escapes_of_rust_mean_what_they_do_there(void **state)
{
	(void)state;
	assert_true(finds("pl\\d+_", "pl011_read"));
	assert_false(finds("^\\d", "dl011_read")); /* without translation glibc would match a d */
	assert_true(finds("^\\D\\w\\W?$", "pl"));
	assert_false(finds("\\s", "pl"));
	assert_true(finds("^\\S+$", "pl"));
	assert_true(finds("\\Apl\\z", "pl"));
	assert_true(finds("\\bpl\\b", "pl"));
	assert_false(finds("\\bpl\\b", "pl_"));
	assert_true(finds("x\\{|\\.|\\^|pl", "pl"));
	assert_false(finds("\\.", "pl"));
	assert_false(finds("\\'|\\`|\\-", "pl")); /* two of them would be the ends to glibc */
	assert_true(finds("^[\\d_]+$", "0_1"));
	assert_true(finds("^[\\w]+$", "a_1"));
	assert_true(finds("^[\\.a[:digit:]-]+$", "a1"));
	assert_true(finds("^[^\\d]$", "a"));
	assert_true(finds("[]a]", "a"));
	assert_true(finds("^(?:ab|c)+$", "abc"));
	assert_true(finds("^a{2}b{1,}c{0,1}$", "aab"));
	assert_true(finds("a||b", "x"));
}

static void what_would_mean_another_thing_is_refused(void **state)
{
	static const struct {
		const char *regex;
		const char *why;
	} bad[] = {
		{ "", "it is empty; '.' matches every name" },
		{ "a*?", "'*?' is not supported: leave the '?' out, which finds the same names" },
		{ "a+?", "'+?' is not supported" },
		{ "a??", "?' is not supported: leave" },
		{ "a{2}?", "'}?' is not supported" },
		{ "(?i)a", "'(?' is supported only as in (?:...)" },
		{ "(?P<x>a)", "a letter in both cases is written [Aa]" },
		{ "a)", "a ')' has no '('" },
		{ "*", "'*' has nothing to repeat; '.' matches every name" },
		{ "a|+", "'+' has nothing to repeat" },
		{ "(?", "'(?' is supported" },
		{ "^*", "'*' has nothing to repeat" },
		{ "{2}", "'{' has nothing to repeat" },
		{ "a{", "'{' needs {n}, {n,} or {n,m} after it" },
		{ "a{x}", "'{' needs" },
		{ "a{,3}", "'{' needs" },
		{ "\\pL", "'\\p' is not supported: write the characters themselves" },
		{ "\\1", "'\\1' is not supported" },
		{ "\\<a", "'\\<' is not supported" },
		{ "\\n", "'\\n' is not supported" },
		{ "a\\", "it ends in a '\\'" },
		{ "[a", "a '[' has no ']'" },
		{ "[", "a '[' has no ']'" },
		{ "[\\", "it ends in a '\\'" },
		{ "[a[", "a '[' in brackets is supported only as in [[:alpha:]]" },
		{ "[[:", "a '[' in brackets is supported only as in [[:alpha:]]" },
		{ "[a[b]]", "a '[' in brackets is supported only as in [[:alpha:]]" },
		{ "[[.a.]]", "a '[' in brackets is supported" },
		{ "[[:^alpha:]]", "a '[' in brackets is supported" },
		{ "[a-z&&[^b]]", "'&&' in brackets is not supported" },
		{ "[a-z--b]", "'--' in brackets is not supported" },
		{ "[\\D]", "'\\D' is not supported" },
		{ "[\\d-z]", "'\\d' is not supported" },
		{ "[a\\]b]", "'\\]' in brackets is not supported" },
		{ "[\\-b]", "in them a ']' comes first, a '-' last" },
		{ "\xc3\xa9+", "no name of an event has the byte 0xc3" },
		{ "[\x01]", "no name of an event has the byte 0x01" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_null(waymark_rust_regex_pattern(bad[i].regex, why, sizeof(why)));
		if (!strstr(why, bad[i].why)) {
			fail_msg("'%s': '%s' does not contain '%s'", bad[i].regex, why, bad[i].why);
		}
	}
}

/* Patterns of the longest translations fit; a sanitizer detects an overrun. */
static void longest_translations_fit(void **state)
{
	static const char *const units[] = { "\\W", "\\S", "[\\w]", ".", "\\$" };

	(void)state;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		char regex[512] = "";

		for (size_t n = 0; n < 64; n++) {
			strcat(regex, units[i]);
			char *pattern = waymark_rust_regex_pattern(regex, why, sizeof(why));

			assert_non_null(pattern);
			free(pattern);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(search_finds_any_part_of_a_name),
		cmocka_unit_test(star_repeats_the_letter_before_it),
		cmocka_unit_test(words_need_no_compiled_expression),
		cmocka_unit_test(escapes_of_rust_mean_what_they_do_there),
		cmocka_unit_test(what_would_mean_another_thing_is_refused),
		cmocka_unit_test(longest_translations_fit),
	};

	return cmocka_run_group_tests_name("expressions of Rust", tests, NULL, NULL);
}
