/* SPDX-License-Identifier: MIT */
/* The call sites of tests/dtrace: see fire.h. */
#include "fire.h"

#include <stdlib.h>

#include "trace-test.h"

unsigned int tick_state(void)
{
	return TRACE_TICK_STATE();
}

unsigned int done_state(void)
{
	return TRACE_DONE_STATE();
}

void fire_ticks(int count)
{
	for (int i = 0; i < count; i++) {
		trace_tick(i, "tock");
	}
}

void fire_done(void)
{
	trace_done();
}

void fire_values(void)
{
	static char heap[] = "heap";

	trace_tick(-1, NULL);
	trace_done();
	trace_narrow(true, 'A', -2, 200, -3000, 60000);
	trace_narrow(false, -1, INT8_MIN, UINT8_MAX, INT16_MIN, UINT16_MAX);
	trace_wide(-70000, 4000000000u, -5000000000, UINT64_MAX, 8, (void *)0x1234);
	trace_wide(INT32_MIN, UINT32_MAX, INT64_MIN, 0, SIZE_MAX, (void *)&heap);
	trace_hex(-1, -2, -3, -4);
	trace_hex(0x7f, 0x10, 0x1000, 0x100000000);
	trace_texts("one", NULL, heap, "", 3, "cut here");
	trace_percent(7);
	trace_linux("a name that compilers predefine");
	trace_keywords(1, 2, 3, NULL, -5);
}

void fire_ten(void)
{
	trace_ten(1, 2, 3, 4, 5, "six", 7, 8, 9, true);
}
