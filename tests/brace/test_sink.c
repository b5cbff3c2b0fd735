/* SPDX-License-Identifier: MIT */
/* Sinks: at every size a buffer holds whole characters and its NUL; errno is kept. */
#include <errno.h>
#include <sys/mman.h>

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

static unsigned int entries_told;

static void tell_for_ever(struct waymark_formatter *f, const void *object)
{
	(void)object;
	entries_told++;
	waymark_debug_value(f, waymark_debug_object(tell_for_ever, NULL));
	waymark_debug_value(f, waymark_debug_object(tell_for_ever, NULL));
}

/*
 * A sink with room for `n` bytes gets the first `n` bytes of the unlimited output. Of values of 1
 * GiB, or of 2^32 nested ones, only the shown part is rendered.
 */
static void what_is_not_wanted_takes_no_time(void **state)
{
	static const char *const messages[] = { "{}", "{:?}", "{:>9}", "{:.70}", "{:日<80}", "{:?}",
		"{:#x?}", "{:?}" };
	size_t huge = (size_t)1 << 30;
	char *text = mmap(NULL, huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(text, MAP_FAILED);
	memcpy(text, "caf\xc3\xa9\n\xff\xe6\x97", 9);
	struct waymark_debug values[] = {
		waymark_debug_text(text, huge),
		waymark_debug_bytes(text, huge),
		waymark_debug_object(tell_for_ever, NULL),
	};

	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		struct waymark_debug value = values[i < 5 ? 0 : i - 5];
		struct waymark_debug shorter = value;
		char got[64];
		char wanted[64];
		struct brace_sink s;

		shorter.length = 300;
		brace_sink_buffer(&s, got, sizeof(got));
		s.wanted = sizeof(got);
		brace_format(&s, messages[i], strlen(messages[i]), &value, 1);
		assert_true(value.kind == WAYMARK_DEBUG_OBJECT || s.length >= sizeof(got));
		brace_sink_buffer(&s, wanted, sizeof(wanted));
		if (value.kind != WAYMARK_DEBUG_OBJECT) {
			brace_format(&s, messages[i], strlen(messages[i]), &shorter, 1);
			assert_string_equal(got, wanted);
		}
	}
	assert_in_range(entries_told, 1, 1000);
	munmap(text, huge);
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
		cmocka_unit_test(what_is_not_wanted_takes_no_time),
		cmocka_unit_test(errno_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
