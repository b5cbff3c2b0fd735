/* SPDX-License-Identifier: MIT */
/* Strings and characters: widths count characters, escapes read back, invalid UTF-8 is replaced. */
#include "base/utf8.h"
#include "unit.h"

static void widths_count_characters(void **state)
{
	(void)state;
	assert_string_equal(rendered("{:5}|", text_value("é日")), "é日   |");
	assert_string_equal(rendered("{:*^5}|", text_value("é日")), "*é日**|");
	assert_string_equal(rendered("{:.1}", text_value("日本")), "日");
	assert_string_equal(rendered("{:日>3}", text_value("a")), "日日a");
	assert_string_equal(rendered("{:05}|", text_value("abc")), "abc  |");
	assert_string_equal(rendered("{:>6.2}", waymark_debug_bool(true)), "    tr");
	assert_string_equal(rendered("{:<3}|", waymark_debug_char(0x1f600)), "😀  |");
	assert_string_equal(rendered("{}", waymark_debug_string(NULL)), "(null)");
	assert_string_equal(rendered("{:?}", waymark_debug_text(NULL, 5)), "(null)");
}

static void only_the_own_quote_is_escaped(void **state)
{
	(void)state;
	assert_string_equal(rendered("{:?}", text_value("'\"")), "\"'\\\"\"");
	assert_string_equal(rendered("{:?}", waymark_debug_char('\'')), "'\\''");
	assert_string_equal(rendered("{:?}", waymark_debug_char('"')), "'\"'");
	assert_string_equal(rendered("{:?}", cstring_value("'\1", 2)), "\"\\'\\x01\"");
}

static void what_is_not_utf8_is_mended(void **state)
{
	(void)state;
	assert_string_equal(
		rendered("{}", text_value("a\xff\xe2\x80z")), "a\xef\xbf\xbd\xef\xbf\xbdz");
	assert_string_equal(
		rendered("{:?}", text_value("a\xff\xe2\x80z")), "\"a\\xff\\xe2\\x80z\"");
	assert_string_equal(rendered("{}", waymark_debug_char(0xd800)), "\xef\xbf\xbd");
}

static uint32_t random_code(void)
{
	static const unsigned int bits[] = { 5, 7, 7, 11, 16, 21 };
	uint32_t code;

	do {
		code = random_bits() & ((1u << bits[random_bits() % ARRAY_SIZE(bits)]) - 1);
	} while (code > 0x10ffff || (code >= 0xd800 && code < 0xe000));
	return code;
}

static size_t read_braced(const char **s, char *out)
{
	char *end;
	uint32_t code = (uint32_t)strtoul(*s + 2, &end, 16);

	*s = end + 1;
	return utf8_encode(out, code);
}

/* Reads a quoted text as a Rust literal. */
static size_t unquote(const char *s, char *out)
{
	static const char from[] = "0tnr\\\"";
	static const char to[] = "\0\t\n\r\\\"";
	size_t n = 0;

	for (s++; s[1];) {
		if (*s != '\\') {
			out[n++] = *s++;
		} else if (s[1] == 'u') {
			s++;
			n += read_braced(&s, out + n);
		} else {
			out[n++] = to[strchr(from, s[1]) - from];
			s += 2;
		}
	}
	return n;
}

static void escapes_read_back(void **state)
{
	(void)state;
	for (unsigned long i = rounds(100000); i > 0; i--) {
		char text[128];
		char back[128];
		size_t length = 0;

		for (uint64_t n = random_bits() % 20; n > 0; n--) {
			length += utf8_encode(text + length, random_code());
		}
		const char *quoted = rendered("{:?}", waymark_debug_text(text, length));

		assert_int_equal(utf8_invalid(quoted, strlen(quoted)), strlen(quoted));
		for (const char *c = quoted; *c; c++) {
			assert_true((unsigned char)*c >= 0x20 && *c != 0x7f);
		}
		assert_int_equal(unquote(quoted, back), length);
		assert_memory_equal(text, back, length);
	}
}

static void every_width_and_alignment(void **state)
{
	(void)state;
	for (int width = 1; width < 100; width++) {
		char message[32];
		size_t all = width > 3 ? (size_t)width : 3;

		for (int a = 0; a < 3; a++) {
			snprintf(message, sizeof(message), "{:-%c%d}", "<^>"[a], width);
			const char *text = rendered(message, text_value("abc"));
			size_t before = strspn(text, "-");

			assert_int_equal(strlen(text), all);
			assert_int_equal(before, (all - 3) * (size_t)a / 2);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(widths_count_characters),
		cmocka_unit_test(only_the_own_quote_is_escaped),
		cmocka_unit_test(what_is_not_utf8_is_mended),
		cmocka_unit_test(escapes_read_back),
		cmocka_unit_test(every_width_and_alignment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
