/* SPDX-License-Identifier: MIT */
/* Sinks: at every size a buffer holds whole characters and its NUL; errno is kept. */
#include <errno.h>

#include "base/utf8.h"
#include "unit.h"

static const char message[] = "é {:?} {:日^9} {:#?} 😀 {}";

static size_t format_all(struct brace_sink *s)
{
	struct waymark_debug values[] = {
		text_value("日\n\u0301x"),
		text_value("é"),
		waymark_debug_object(shape_find("nested"), NULL),
		waymark_debug_f64(-1.25e-7),
	};

	return brace_format(s, message, strlen(message), values, ARRAY_SIZE(values));
}

static void every_size_holds_whole_characters(void **state)
{
	static char whole[8192];
	struct brace_sink s;

	(void)state;
	brace_sink_buffer(&s, whole, sizeof(whole));
	size_t length = format_all(&s);

	assert_int_equal(strlen(whole), length);
	for (size_t size = 0; size <= length + 2; size++) {
		char *buffer = malloc(size + 1); /* exactly, for the sanitizer and the canary */

		buffer[size] = '!';
		brace_sink_buffer(&s, buffer, size);
		assert_int_equal(format_all(&s), length);
		assert_int_equal(buffer[size], '!');
		if (size) {
			size_t got = strlen(buffer);

			assert_memory_equal(buffer, whole, got);
			assert_int_equal(utf8_invalid(buffer, got), got);
			assert_true(got == length || got + UTF8_MAX >= size);
		}
		free(buffer);
	}
}

struct collected {
	char text[8192];
	size_t length;
};

static void collect(void *context, const char *text, size_t length)
{
	struct collected *c = (struct collected *)context;

	assert_true(length > 0);
	memcpy(c->text + c->length, text, length);
	c->length += length;
}

static void a_callback_gets_the_same(void **state)
{
	static struct collected collected;
	static char whole[8192];
	struct brace_sink s;

	(void)state;
	brace_sink_buffer(&s, whole, sizeof(whole));
	size_t length = format_all(&s);

	brace_sink_callback(&s, collect, &collected);
	assert_int_equal(format_all(&s), length);
	assert_int_equal(collected.length, length);
	assert_memory_equal(collected.text, whole, length);
}

static void errno_is_kept(void **state)
{
	char text[64];
	struct brace_sink s;

	(void)state;
	errno = ENOTTY;
	brace_sink_buffer(&s, text, sizeof(text));
	format_all(&s);
	assert_int_equal(errno, ENOTTY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_size_holds_whole_characters),
		cmocka_unit_test(a_callback_gets_the_same),
		cmocka_unit_test(errno_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
