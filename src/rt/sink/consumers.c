/* SPDX-License-Identifier: MIT */
/* The backends that record, by enum waymark_recorder. */
#include "rt/record/consumer.h"
#include "rt/sink/ctf_jail.h"
#include "rt/sink/ctf_pass.h"
#include "rt/sink/simple_drain.h"

const struct consumer *const waymark_consumers[WAYMARK_RECORDERS] = {
	[WAYMARK_RECORDER_CTF] = &waymark_consumer_ctf,
	[WAYMARK_RECORDER_SIMPLE] = &waymark_consumer_simple,
};

const struct consumer *const waymark_consumers_jailed[WAYMARK_RECORDERS] = {
	[WAYMARK_RECORDER_CTF] = &waymark_consumer_ctf_jail,
	[WAYMARK_RECORDER_SIMPLE] = &waymark_consumer_none,
};
