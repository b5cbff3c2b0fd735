/* SPDX-License-Identifier: MIT */
/* The message view beyond printf: escapes, cut values, messages that do not fit. */
#include "rendered.h"

static void a_null_string_is_shown_as_null(void **state)
{
	const struct value values[] = { string(NULL), string(NULL) };

	(void)state;
	assert_renders("e(char *a, char *b) \"%s|%8s\"\n", values, "(null)|  (null)");
}

static void values_are_cut_to_their_declared_type(void **state)
{
	const struct value values[] = { number(UINT64_C(0xdeadbeef00000105)),
		number(UINT64_C(0xdead00000000ffff)), number(UINT64_C(0xdeadbeef80000000)) };

	(void)state;
	assert_renders("e(uint8_t a, int16_t b, int c) \"%u %d %d\"\n", values, "5 -1 -2147483648");
	assert_renders("e(uint8_t a, int16_t b, int c)\n", values, "a=5 b=-1 c=-2147483648");
}

#define UNITS "# @unit a B\n# @unit b us\n# @unit c sectors\ne(uint64_t a, int b, uint8_t c) "

static void a_unit_is_the_largest_without_a_fraction(void **state)
{
	const struct value whole[] = { number(65536), number((uint64_t)-20000), number(16) };
	const struct value odd[] = { number(1500), number(1), number(1) };
	const struct value none[] = { number(0), number(0), number(0) };
	const struct value most[] = { number(UINT64_MAX), number(INT32_MAX), number(255) };

	(void)state;
	assert_renders(UNITS "\"%\" PRIu64 \",%d,%u\"\n", whole, "64 KiB,-20 ms,8 KiB");
	assert_renders(UNITS "\"%\" PRIu64 \",%d,%u\"\n", odd, "1500 B,1 us,512 B");
	assert_renders(UNITS "\"%\" PRIu64 \",%d,%u\"\n", none, "0 B,0 ns,0 B");
	assert_renders(UNITS "\"%\" PRIu64 \",%d,%u\"\n", most,
		"18446744073709551615 B,2147483647 us,130560 B");
	/* The format has the unit, or another form than decimal. */
	assert_renders(
		UNITS "\"%\" PRIu64 \" bytes %d us. %#x\"\n", whole, "65536 bytes -20000 us. 0x10");
	assert_renders(UNITS "\"%8\" PRIu64 \"%d user %u\"\n", whole, "   65536-20 ms user 8 KiB");
	assert_renders(
		"# @unit a s\ne(uint64_t a) \"%\" PRIu64 \"\"\n", most, "18446744073709551615 s");
}

static void control_characters_cannot_break_the_line(void **state)
{
	const struct value values[] = { string("a\nb\033[31m\177\r\0.") };
	const struct value character[] = { number('\n') };
	struct value zero = { .text = "x\0y", .length = 3, .kind = VALUE_STRING };

	(void)state;
	assert_renders("e(char *s) \"%s\"\n", values, "a\\nb\\x1b[31m\\x7f\\r");
	assert_renders("e(char c) \"%c\"\n", character, "\\n");
	assert_renders("e(char *s) \"%s\"\n", &zero, "x\\x00y");
	assert_renders("e(char *s) \"first\\nsecond %s\"\n", &zero, "first\\nsecond x\\x00y");
}

static void any_byte_at_any_place_is_escaped_or_kept(void **state)
{
	(void)state;
	for (unsigned int c = 0; c < 256; c++) {
		for (size_t at = 0; at < 20; at++) {
			char raw[20];
			char got[128];
			char escaped[ESCAPE_MAX + 1] = { (char)c };
			char wanted[128];

			memset(raw, 'x', sizeof(raw));
			raw[at] = (char)c;
			size_t n = escape_needed((unsigned char)c) || c >= 0x80
					   ? escape_byte(escaped, (unsigned char)c)
					   : 1;
			snprintf(wanted, sizeof(wanted), "%.*s%.*s%.*s", (int)at,
				"xxxxxxxxxxxxxxxxxxxx", (int)n, escaped, (int)(19 - at),
				"xxxxxxxxxxxxxxxxxxxx");
			*message_escape(got, raw, sizeof(raw)) = '\0';
			assert_string_equal(got, wanted);
		}
	}
}

/* Shows a character of several bytes at all positions in words and at their ends. */
static void assert_shown(const char *character, const char *shown)
{
	for (size_t before = 0; before < 20; before++) {
		for (size_t behind = 0; behind < 10; behind++) {
			static const char xs[] = "xxxxxxxxxxxxxxxxxxxx";
			char raw[64];
			char got[4 * sizeof(raw) + 8];
			char wanted[128];

			int n = snprintf(raw, sizeof(raw), "%.*s%s%.*s", (int)before, xs, character,
				(int)behind, xs);
			snprintf(wanted, sizeof(wanted), "%.*s%s%.*s", (int)before, xs, shown,
				(int)behind, xs);
			*message_escape(got, raw, (size_t)n) = '\0';
			assert_string_equal(got, wanted);
		}
	}
}

static void text_of_any_language_is_shown_as_it_is(void **state)
{
	static const char *const texts[] = { "\u00e4", "\u20ac", "\U0001f600", "\u05e9\u05dc",
		"\u00a0", "\u200d", "\u202f", "\u2065", "\u206a" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_shown(texts[i], texts[i]);
	}
}

static void what_drives_or_misleads_a_terminal_is_escaped(void **state)
{
	(void)state;
	assert_shown("\xc2\x9b"
		     "31m",
		"\\u009b31m");
	assert_shown("\u202e", "\\u202e");
	assert_shown("\u2066", "\\u2066");
	assert_shown("\u061c", "\\u061c");
	assert_shown("\u2028", "\\u2028");
	assert_shown("\x9b", "\\x9b");
	assert_shown("\xe2\x80", "\\xe2\\x80");
	assert_shown("\xff\xfe", "\\xff\\xfe");
	assert_shown("\xed\xa0\x80", "\\xed\\xa0\\x80");
}

static void a_character_that_a_precision_cuts_is_no_rubbish(void **state)
{
	const struct value values[] = { string("a\u20ac") };

	(void)state;
	assert_renders("e(char *s) \"%.3s\"\n", values, "a\\xe2\\x82");
}

/* A char may be a letter or a small number: only %c prints it as a letter. */
static void a_char_is_a_number_where_its_format_does_not_say_otherwise(void **state)
{
	const struct value letter[] = { number('A') };
	const struct value negative[] = { number((uint64_t)-5) };
	const struct value above[] = { number(0xe9) };

	(void)state;
	assert_renders("e(char c)\n", letter, "c=65");
	assert_renders("e(char c) \"%d\"\n", letter, "65");
	assert_renders("e(char c) \"%c\"\n", letter, "A");
	assert_renders("e(signed char c)\n", negative, "c=-5");
	assert_renders("e(char c) \"%c\"\n", above, "\\xe9");
}

static void arguments_that_no_conversion_shows_follow_by_name(void **state)
{
	const struct value values[] = { number(5), number(0xabc), string("x") };

	(void)state;
	assert_renders("e(int n, void *p, const char *s)\n", values, "n=5 p=0xabc s=x");
	assert_renders("e(void)\n", values, "");
}

static void a_value_of_another_class_than_its_conversion_is_shown_safely(void **state)
{
	const struct value address[] = { number(0x1234) };
	const struct value absent[] = { { .kind = VALUE_ABSENT } };

	(void)state;
	assert_renders("e(const char *s) \"%s\"\n", address, "0x1234");
	assert_renders("e(const char *s) \"%10s\"\n", address, "0x1234");
	assert_renders("e(int n) \"%d\"\n", absent, "?");
	assert_renders("e(int n) \"%5d\"\n", absent, "?");
	assert_renders("e(char c) \"%c\"\n", absent, "?");
	assert_renders("e(const char *s) \"%s\"\n", absent, "?");
}

static void an_absurd_width_is_cut(void **state)
{
	const struct value values[] = { number(INT32_MAX), number(1) };
	const struct value negative[] = { number((uint64_t)INT32_MIN), number(1) };

	(void)state;
	char *text = render("e(int w, int n) \"%*d\"\n", values);

	assert_int_equal(strlen(text), MESSAGE_WIDTH_MAX);
	free(text);
	text = render("e(int w, int n) \"%*d\"\n", negative);
	assert_int_equal(strlen(text), MESSAGE_WIDTH_MAX);
	free(text);
	text = render("e(int w, int n) \"%.*d\"\n", values);
	assert_int_equal(strlen(text), MESSAGE_WIDTH_MAX);
	free(text);
}

static void unknown_arguments_are_shown_as_words(void **state)
{
	unsigned char payload[10] = { [8] = 0xff, 0x0a };
	const uint64_t word = 0x201;
	const struct event_class class = { .name = "e" };
	struct record rec = { .payload = payload, .payload_size = sizeof(payload) };
	struct arena arena;
	struct message message;
	char text[256];

	(void)state;
	memcpy(payload, &word, sizeof(word));
	arena_init(&arena);
	message_compile(&message, &arena, &class, "e", VALUES_ANY);
	assert_true(message_room(&message, &rec, NULL) <= sizeof(text));
	*message_render(text, &message, &rec, NULL) = '\0';
	assert_string_equal(text, "e 0x201 ff 0a");
	message.swap = true;
	*message_render(text, &message, &rec, NULL) = '\0';
	assert_string_equal(text, "e 0x102000000000000 ff 0a");
	arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_null_string_is_shown_as_null),
		cmocka_unit_test(values_are_cut_to_their_declared_type),
		cmocka_unit_test(a_unit_is_the_largest_without_a_fraction),
		cmocka_unit_test(control_characters_cannot_break_the_line),
		cmocka_unit_test(any_byte_at_any_place_is_escaped_or_kept),
		cmocka_unit_test(text_of_any_language_is_shown_as_it_is),
		cmocka_unit_test(what_drives_or_misleads_a_terminal_is_escaped),
		cmocka_unit_test(a_char_is_a_number_where_its_format_does_not_say_otherwise),
		cmocka_unit_test(a_character_that_a_precision_cuts_is_no_rubbish),
		cmocka_unit_test(arguments_that_no_conversion_shows_follow_by_name),
		cmocka_unit_test(a_value_of_another_class_than_its_conversion_is_shown_safely),
		cmocka_unit_test(an_absurd_width_is_cut),
		cmocka_unit_test(unknown_arguments_are_shown_as_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
