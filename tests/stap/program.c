/* SPDX-License-Identifier: MIT */
/*
 * Fires every st_ event of the trace-events file with its types' extreme values. TRACE_HEADER
 * defines trace_<event>(), which records, is a mark, or calls SystemTap's translation of the
 * event's probe.
 */
#include <limits.h>
#include <stdint.h>

#include TRACE_HEADER

static char text[] = "caf\xc3\xa9";
static char long_text[801];

static void fire_integers(void)
{
	trace_st_signed(INT8_MIN, INT16_MIN, INT32_MIN, INT64_MIN);
	trace_st_signed(INT8_MAX, INT16_MAX, INT32_MAX, INT64_MAX);
	trace_st_unsigned(UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX);
	trace_st_unsigned(0, 0, 0, 0);
	trace_st_unsigned(1, 2, 8, 0xbeef);
	trace_st_other_sign(UINT8_MAX, UINT32_MAX, -1, INT32_MIN, -1);
	trace_st_other_sign(1, 2, 3, 4, 5);
	trace_st_c_types(CHAR_MIN, SHRT_MIN, LONG_MIN, ULLONG_MAX);
	trace_st_c_types('A', SHRT_MAX, LONG_MAX, 0);
	trace_st_short_lengths(-1, SHRT_MIN, UINT8_MAX, UINT16_MAX);
	trace_st_short_lengths(SCHAR_MIN, SHRT_MAX, 1, 0);
	trace_st_macros(UINT8_MAX, INT16_MIN, 0xbeef, UINT64_MAX);
	trace_st_sizes(SIZE_MAX, -1, UINTPTR_MAX, PTRDIFF_MIN);
	trace_st_bool(true, false);
}

static void fire_layouts(void)
{
	trace_st_percent(-7);
	trace_st_literals(1);
	trace_st_flags(1, 2, 3, 4, 5, 6);
	trace_st_flags(-1, -2, -3, -4, -5, -6);
	trace_st_flags(0, 0, 1234567, 1234567, 1234567, 1234567);
	trace_st_alternate(0, 0, 0, 0);
	trace_st_alternate(1, 0xab, 0xcd, 8);
	trace_st_alternate(UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX);
	trace_st_alternate_star(8, 0xab);
	trace_st_alternate_star(8, 0);
	trace_st_precision(7, 0, 0xab);
	trace_st_precision(-7, 5, 0);
	trace_st_keywords(1, 2, 3, "four", 5, 6);
	trace_st_ten(1, 2, 3, 4, "five", NULL, -7, true, 9, -10);
}

static void fire_texts(void)
{
	trace_st_none();
	trace_st_bare(-1, "text", (void *)(uintptr_t)0x1000, true, 65535);
	trace_st_bare(-1, NULL, NULL, false, 0);
	trace_st_char('x', 'y', 'z');
	trace_st_pointer((void *)(uintptr_t)0x1000, (const uint8_t *)(uintptr_t)0xabcdef, NULL);
	trace_st_string("hello", text);
	trace_st_string("", text);
	trace_st_string(NULL, NULL);
	trace_st_string_pointer(NULL);
	trace_st_string_pointer((const char *)(uintptr_t)0x1000);
	trace_st_star(8, 0xbeef, 3, "abcdef");
	trace_st_star(-8, 0xbeef, -1, "abcdef");
	trace_st_star(0, 0, 0, "none of it");
	trace_st_star_left(6, -5);
	trace_st_star_left(-6, -5);
	trace_st_star_text(5, "abcdef", 20, NULL, 6, 7);
	trace_st_star_text(-5, "abcdef", -20, (void *)(uintptr_t)0x1000, -6, 7);
	trace_st_lines("line\nsecond\n");
}

/* Longer than SystemTap's strings, and around the length at which simpletrace cuts. */
static void fire_long_texts(void)
{
	static const size_t lengths[] = { 1, 255, 256, 257, 511, 512 };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		for (size_t j = 0; j < lengths[i]; j++) {
			long_text[j] = (char)('a' + j % 26);
		}
		long_text[lengths[i]] = '\0';
		trace_st_string(long_text, long_text);
	}
}

/* With an address that is the same in every program. */
static void fire_of_cpu(void)
{
	struct CPUState *cpu = (struct CPUState *)(uintptr_t)0x5000;

	trace_st_foo(0xd1);
	trace_st_bar(cpu, 0xd2);
	trace_st_baz_trans(cpu, 0xd3);
	trace_st_baz_exec(cpu, 0xd3);
}

int main(int argc, char **argv)
{
	(void)argv;
	fire_integers();
	fire_layouts();
	fire_texts();
	fire_of_cpu();
	if (argc > 1) {
		fire_long_texts();
	}
	return 0;
}
