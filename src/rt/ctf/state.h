/* SPDX-License-Identifier: MIT */
/* The state of this process's consumer, and the configuration that control calls want. */
#ifndef RT_CTF_STATE_H
#define RT_CTF_STATE_H

#include "rt/ctf/ctf.h"
#include "rt/ctf/packet_walk.h"
#include "rt/record/consumer.h"

/*
 * A request with full=overwrite: write the events in memory as a separate trace. The control call
 * makes the request and shows it in ctf_state.snapshot, one at a time. The consumer serves it with
 * its next flush: it gives the buffer to that trace and writes all of it there, then gives the
 * empty buffer back to the usual trace, which begins again. At each moment one of the two traces
 * has the events in memory, even if a kill happens, and no event is in two snapshots. Finally the
 * consumer fills in the request and removes it, by release.
 */
struct ctf_snapshot {
	struct ctf_config *config; /* of the snapshot */
	int error; /* an errno: not everything was written */
	bool missed; /* a thread stayed in its event: its open packet is not included */
	bool made; /* the directory exists */
	char path[PATH_MAX]; /* its path; a trace that had the name first is not written to */
	uint32_t done; /* by release */
};

/* The consumer's state. */
struct ctf_state {
	struct ctf_trace trace;
	struct ctf_trace next; /* while it is being made */
	struct ctf_trace former; /* what `trace` was before: path, device and inode only */
	bool former_has_events; /* in its files */
	const struct ctf_config *refused; /* by release: no trace can be made for it; NULL: none */
	int why_refused; /* an errno */
	uint32_t share; /* atomic: 1: a fork asks for a folder, see family.h */
	struct ctf_snapshot *snapshot; /* atomic: the requested snapshot; NULL: none */
	struct ctf_files files;
	struct packet_walk walk;
	uint64_t unwritten; /* events that no file took; known only at the end */
	uint64_t retry_ns; /* when to try to write again after an error */
	bool ended; /* the end was tried; events may still follow */
	uint32_t snapshots; /* requests that were served */
	uint64_t evicted_from; /* with full=overwrite: when the oldest closed packet began, ticks */
	uint64_t refine_ns; /* when to try to write the clock's rate again after an error */
	bool finished; /* the final rate of the clock is written */
	uint64_t refined; /* ticks after the begin at which the clock's rate was last written */
	bool is_off; /* as last read by the consumer */
	bool left; /* the last pass left events in open packets */
	const char *kept; /* at the end: why events stay in the buffer; NULL: none do */
	bool complained; /* it was reported that the file takes nothing */
};

/* Returns this process's state; NULL while it has recorded nothing. */
struct ctf_state *waymark_ctf_current(void);

/* Returns the same, but NULL until the trace has its name, and in a jail. */
struct ctf_state *waymark_ctf_begun(void);

/* Returns the configuration that control calls want; NULL means the default. Any thread. */
const struct ctf_config *waymark_ctf_config(void);
bool waymark_ctf_is_off(void);

/* See struct waymark_sink. */
int waymark_ctf_set_on(bool on, bool *was_on, struct waymark_error *error);

/* Makes the configuration the current one. Any thread, any signal handler. */
void waymark_ctf_publish(struct ctf_config *config);

/*
 * Takes back a configuration whose trace could not be made: the former one is current again, also
 * for new children. Any thread.
 */
void waymark_ctf_withdraw(struct ctf_config *config);

/* What a new trace needs before it can begin. Control calls only; control.h has the options. */

/*
 * Returns a configuration as options want it. If `path` is NULL, it has `room` bytes for a path.
 * Returns NULL if memory runs out.
 */
struct ctf_config *waymark_ctf_new_config(const char *path, size_t room);

/* Checks whether a trace can have the name: see check_file() of struct waymark_sink. */
int waymark_ctf_check_file(const char *path, bool yield, bool replace, struct waymark_error *error);

/* Removes or keeps an existing file of that name; sets `taken` if the trace needs another name. */
int waymark_ctf_prepare(const char *path, bool yield, bool *taken, struct waymark_error *error);

#endif
