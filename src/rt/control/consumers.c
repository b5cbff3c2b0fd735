/* SPDX-License-Identifier: MIT */
/* The backends that record, by enum waymark_recorder. */
#include "rt/record/consumer.h"

#include "rt/ctf/ctf.h"
#include "rt/simple/simple.h"

const struct consumer *const waymark_consumers[WAYMARK_RECORDERS] = {
	[WAYMARK_RECORDER_CTF] = &waymark_consumer_ctf,
	[WAYMARK_RECORDER_SIMPLE] = &waymark_consumer_simple,
};

const struct consumer *const waymark_consumers_jailed[WAYMARK_RECORDERS] = {
	[WAYMARK_RECORDER_CTF] = &waymark_consumer_ctf_jail,
	[WAYMARK_RECORDER_SIMPLE] = &waymark_consumer_simple_jail,
};
