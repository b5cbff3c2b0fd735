/* SPDX-License-Identifier: MIT */
/* The state of this process's consumer, and what control calls want of it. */
#ifndef RT_CTF_STATE_H
#define RT_CTF_STATE_H

#include "rt/ctf/ctf.h"
#include "rt/ctf/packet_walk.h"
#include "rt/record/consumer.h"

/*
 * A request of full=overwrite: the events in memory become a trace of their own. The control call
 * makes the request and shows it in ctf_state.snapshot, one at a time. The consumer serves it with
 * its next flush: the buffer becomes that trace's and all of it is written there; then the buffer
 * is the usual trace's again, which is empty and begins anew. At each moment one of the two has
 * what is in memory, wherever a kill comes, and no event is in two snapshots. At last the consumer
 * fills in the request and takes it away, by release.
 */
struct ctf_snapshot {
	struct ctf_config *config; /* where to */
	int error; /* an errno: not all of it is written */
	bool missed; /* a thread stayed in its event: its open packet is not included */
	bool made; /* the directory is there */
	char path[PATH_MAX]; /* which: another one's that had the name first is not written to */
	bool free; /* the configuration is no longer in use */
	uint32_t done; /* by release */
};

/* The consumer's state. */
struct ctf_state {
	struct ctf_trace trace;
	struct ctf_trace next; /* while it is made */
	struct ctf_trace former; /* what `trace` was before: path, device and inode only */
	bool former_has_events; /* in its files */
	const struct ctf_config *refused; /* by release: no trace can be made of it; NULL: none */
	int why_refused; /* an errno */
	uint32_t share; /* atomic: 1: a fork asks for a folder, see family.h */
	struct ctf_snapshot *snapshot; /* atomic: asked for, NULL: none is */
	struct ctf_files files;
	struct packet_walk walk;
	uint64_t unwritten; /* events that no file took, known at the end only */
	uint64_t retry_ns; /* when to try to write again after an error */
	bool ended; /* the end was tried: what comes now comes even later */
	uint32_t snapshots; /* requests that were served */
	uint64_t evicted_from; /* with full=overwrite: when the oldest closed packet began, ticks */
	uint64_t refine_ns; /* when to try that again after an error */
	bool finished; /* the final rate of the clock is written */
	uint64_t refined; /* ticks after the begin at which the clock's rate was last written */
	bool is_off; /* as far as the drain has seen */
	bool left; /* the last pass left events in open packets */
	const char *kept; /* at the end: why events stay in the buffer; NULL: they do not */
	bool complained; /* of a file that takes nothing */
};

/* This process's, NULL as long as it has recorded nothing. */
struct ctf_state *waymark_ctf_current(void);

/* The same; NULL until its trace has its name. In a jail: NULL. */
struct ctf_state *waymark_ctf_begun(void);

/* What control calls have asked for; any thread. NULL: the default. */
const struct ctf_config *waymark_ctf_config(void);
bool waymark_ctf_is_off(void);

/* See struct waymark_sink. */
int waymark_ctf_set_on(bool on, bool *was_on, struct waymark_error *error);

/* Makes the configuration the present one. Any thread, any signal handler. */
void waymark_ctf_publish(struct ctf_config *config);

/*
 * Takes back a configuration whose trace could not be made: the one before is the present one
 * again, of new children, too. Any thread.
 */
void waymark_ctf_withdraw(struct ctf_config *config);

/* What a new trace needs before it can begin. Control calls only; control.h has the options. */

/* A configuration as options want it; NULL: `room` bytes for a path. NULL without memory. */
struct ctf_config *waymark_ctf_new_config(const char *path, size_t room);

/* True if a trace can have the name: see struct waymark_sink. */
int waymark_ctf_check_file(const char *path, bool yield, bool replace, struct waymark_error *error);

/* Removes or keeps an existing file of that name; sets `taken` if the trace needs another name. */
int waymark_ctf_prepare(const char *path, bool yield, bool *taken, struct waymark_error *error);

#endif
