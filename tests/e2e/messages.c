/* SPDX-License-Identifier: MIT */
/* Fires every msg_ event of the trace-events file with its types' extreme values. */
#include <limits.h>

#include "trace-e2e.h"

static const uint8_t byte = 1;
static char text[] = "caf\xc3\xa9";

static void fire_integers(void)
{
	trace_msg_signed(INT8_MIN, INT16_MIN, INT32_MIN, INT64_MIN);
	trace_msg_signed(INT8_MAX, INT16_MAX, INT32_MAX, INT64_MAX);
	trace_msg_unsigned(UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX);
	trace_msg_unsigned(0, 0, 0, 0);
	trace_msg_c_types(CHAR_MIN, SHRT_MIN, LONG_MIN, ULLONG_MAX);
	trace_msg_c_types('A', SHRT_MAX, LONG_MAX, 0);
	trace_msg_short_lengths(-1, SHRT_MIN, UINT8_MAX, UINT16_MAX);
	trace_msg_short_lengths(SCHAR_MIN, SHRT_MAX, 1, 0);
	trace_msg_sizes(SIZE_MAX, -1, UINTPTR_MAX, PTRDIFF_MIN);
	trace_msg_bool(true, false);
	trace_msg_char('x', 'y');
	trace_msg_percent(-7);
}

static void fire_texts(void)
{
	trace_msg_none();
	trace_msg_pointer((void *)(uintptr_t)0x1000, &byte);
	trace_msg_string("hello", text);
	trace_msg_string("", text);
	trace_msg_string("tab\there, bell\a, escape\x1b[1m, delete\x7f", text);
	trace_msg_star(8, 0xbeef, 3, "abcdef");
	trace_msg_star(0, 0, 0, "none of it");
	trace_msg_lines("line\nsecond\r");
}

int main(void)
{
	fire_integers();
	fire_texts();
	return 0;
}
