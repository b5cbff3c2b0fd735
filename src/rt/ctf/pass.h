/* SPDX-License-Identifier: MIT */
/*
 * The consumer of the sink `ctf`: closed packets go to the stream files as they
 * are. A packet whose events have waited for long is closed: by its thread when
 * it comes by, else it is taken from it.
 */
#ifndef RT_CTF_PASS_H
#define RT_CTF_PASS_H

#include "rt/ctf/ctf.h"
#include "rt/ctf/packet_walk.h"
#include "rt/record/consumer.h"

struct ctf_snapshot;

/* The consumer's state. */
struct ctf_state {
	struct ctf_trace trace;
	struct ctf_trace next; /* while it is made */
	struct ctf_trace former; /* what `trace` was before: path, device and inode only */
	bool former_has_events; /* in its files */
	const struct ctf_config *refused; /* by release: no trace can be made of it; NULL: none */
	int why_refused; /* an errno */
	uint32_t share; /* atomic: 1: a fork asks for a folder, see hold.h */
	struct ctf_snapshot *snapshot; /* atomic: asked for, see snapshot.h; NULL: none is */
	struct ctf_files files;
	struct packet_walk walk;
	uint64_t unwritten; /* events that no file took, known at the end only */
	uint64_t retry_ns; /* when to try to write again after an error */
	bool ended; /* the end was tried: what comes now comes even later */
	uint32_t snapshots; /* requests that were served */
	uint64_t evicted_from; /* with full=overwrite: when the oldest closed packet began, ticks */
	uint64_t refine_ns; /* when to try that again after an error */
	bool finished; /* the clock's rate is written for good */
	uint64_t refined; /* ticks after the begin at which the clock's rate was last written */
	bool is_off; /* as far as the drain has seen */
	bool left; /* the last pass left events in open packets */
	const char *kept; /* at the end: why events stay in the buffer; NULL: they do not */
	bool complained; /* of a file that takes nothing */
};

/* This process's, NULL as long as it has recorded nothing. */
struct ctf_state *waymark_ctf_current(void);

/* What control calls have asked for; any thread. NULL: the default. */
const struct ctf_config *waymark_ctf_config(void);
bool waymark_ctf_is_off(void);

#endif
