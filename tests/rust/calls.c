/* SPDX-License-Identifier: MIT */
/* The calls of main.rs, in C. */
#include <limits.h>

#include "trace-rust.h"

void calls_from_c(void);

static void *at(uintptr_t address)
{
	return (void *)address;
}

static void numbers(void)
{
	trace_bools(true, false);
	trace_chars('A', SCHAR_MIN, UCHAR_MAX);
	trace_shorts(SHRT_MIN, USHRT_MAX, -2, 65534);
	trace_ints(INT_MIN, UINT_MAX, -3, 4294967293u);
	trace_longs(-4, 4, LLONG_MIN, ULLONG_MAX);
	trace_fixed(INT8_MIN, UINT8_MAX, INT64_MIN, UINT64_MAX);
	trace_sizes(SIZE_MAX, -1, 0xfee1, PTRDIFF_MIN);
}

static void pointers(void)
{
	char lent[] = "lent";
	char utf8[] = "gr\303\266\303\237e";

	trace_pointers(at(0x1000), NULL, at(0x2000), at(0x1000), NULL, at(0x3000));
	trace_strings("owned", lent);
	trace_strings("", utf8);
}

static void others(void)
{
	trace_no_format(7, "seven");
	trace_no_arguments();
	trace_ten(1, 2, 3, 4, "five", at(6), -7, true, 9, -10);
	trace_keywords(1, 2, 3, 4, "five", 6, 7);
	trace_meet(1);
	trace_meet_enabled(2);
	trace_switched_off(1, "never recorded");
}

void calls_from_c(void)
{
	numbers();
	pointers();
	others();
}
