/* SPDX-License-Identifier: MIT */
/*
 * Makes a clean trace of one that its process could not finish: appends the packets of its memory,
 * mends torn ends, corrects the clock and the indexes, and removes the memory last. If it is killed
 * meanwhile, the next run finishes. A trace that needs nothing is not changed. Any process; one at
 * a time works on a trace, the others wait.
 */
#ifndef RECOVER_RECOVER_H
#define RECOVER_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "recover/host_clock.h"

struct recover_result {
	uint64_t streams;
	uint64_t events; /* events that only the memory had */
	uint64_t lost; /* number of events, as counted by the packets */
	uint64_t cut; /* bytes without a whole event at torn ends */
	uint64_t missing; /* packets that only an index has, or that lost a part */
	uint64_t faults; /* missing memory, and unreadable places in the result */
	char fault[600]; /* the first fault, or missing packet; "": none */
	char kept_for[300]; /* for a copied trace: the original, whose memory is kept; else "" */
	bool changed; /* the trace needed a change */
	char error[600]; /* why the recovery failed, and what to do */
};

/*
 * Recovers the trace in the folder `path`, and then reads all of it. Returns false on failure, with
 * result->error; true with result->fault if something is missing or damaged for good.
 */
bool recover_trace(const char *path, struct recover_result *result);

/*
 * Recovers the trace of a guest and sets its times by the clock of the host, to within *error_ns.
 * Fails if the trace is of another boot than the measurements. May be repeated with better ones.
 */
bool recover_by_host(const char *path, const struct host_clock *host, uint64_t *error_ns,
	struct recover_result *result);

/* Recovers the trace, but leaves the memory to the caller. */
bool recover_trace_beside(const char *path, struct recover_result *result);

/* Recovers the trace that a buffer file names. */
bool recover_buffer(const char *path, struct recover_result *result);

/* Removes the memory of a trace unread. `path` is the trace's folder or the buffer file. */
bool recover_discard(const char *path, struct recover_result *result);

#endif
