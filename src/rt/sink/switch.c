/* SPDX-License-Identifier: MIT */
/* Turning a recording backend on and off. */
#include "rt/host/error.h"
#include "rt/record/recorder.h"
#include "rt/sink/sink.h"

int waymark_sink_switch(uint32_t *off, bool on, bool *was_on, struct waymark_error *error)
{
	error_clear(error);
	waymark_recorder_flush(); /* on: throws away what came while it was off */
	bool was_off = __atomic_exchange_n(off, !on, __ATOMIC_ACQ_REL);

	waymark_recorder_flush();
	if (was_on) {
		*was_on = !was_off;
	}
	return 0;
}
