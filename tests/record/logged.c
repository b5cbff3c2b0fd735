/* SPDX-License-Identifier: MIT */
/* A program whose events have only the backend log, so that `waymark record` records nothing. */
#include "trace-logged.h"

int main(void)
{
	trace_tick(1);
	return 0;
}
