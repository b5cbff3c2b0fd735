/* SPDX-License-Identifier: MIT */
/* A program whose events are lines only: there is nothing to record. */
#include "trace-logged.h"

int main(void)
{
	trace_tick(1);
	return 0;
}
