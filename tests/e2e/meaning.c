/* SPDX-License-Identifier: MIT */
/* Fires events whose arguments have a declared meaning. meaning [kill]: then kills itself. */
#include <signal.h>

#include "trace-meaning-toml.h"
#include "trace-meaning.h"

int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < 4; i++) {
		trace_submit((uint64_t)i, i == 3 ? 16 : i, (uint32_t)(4 * i % 7), 4u << i);
		trace_complete((uint64_t)i, i % 2 ? -5 : 0);
	}
	trace_adjust(-1, true);
	trace_adjust(1, false);
	trace_plain(1);
	trace_wide(-1, 3);
	trace_wide(-2, -1);
	trace_wide(INT64_MAX, 5);
	trace_hex(255);
	trace_hex(1);
	trace_state(7, 2, 0x8001);
	{
		TRACE_CHANGE_SCOPE(1);
	}
	if (argc > 1) {
		raise(SIGKILL);
	}
	return 0;
}
