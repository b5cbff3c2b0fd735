/* SPDX-License-Identifier: MIT */
/* Fires the events of documented.events, and prints their CPU. */
#include <stdio.h>

#include "trace-guest.h"

typedef struct CPUState {
	int index;
} CPUState;

int main(void)
{
	static CPUState cpu;

	printf("%p\n", (void *)&cpu);
	trace_foo(0xd1);
	trace_bar(&cpu, 0xd2);
	trace_baz_trans(&cpu, 0xd3);
	trace_baz_exec(&cpu, 0xd3);
	return 0;
}
