/* SPDX-License-Identifier: MIT */
/*
 * Makes a clean trace of one that its process could not finish: appends the packets of its memory,
 * mends torn ends, corrects the clock and the indexes, and removes the memory last. If it is killed
 * meanwhile, the next run finishes; a trace that needs nothing is not touched. Any process; one at
 * a time works on a trace, the others wait.
 */
#ifndef RECOVER_RECOVER_H
#define RECOVER_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

struct recover_result {
	uint64_t streams;
	uint64_t events; /* that only the memory had */
	uint64_t lost; /* events, as the packets count them */
	uint64_t cut; /* bytes at torn ends that hold no whole event */
	uint64_t missing; /* packets that only an index knows, or that lost a part */
	uint64_t faults; /* memory that is gone, and places that cannot be read afterwards */
	char fault[600]; /* the first of these, or of what is missing; "": none */
	char kept_for[300]; /* of a copied trace: the original, whose memory stays; else "" */
	bool changed; /* there was something to do */
	char error[600]; /* why it failed, and what to do */
};

/*
 * Recovers the trace in the folder `path`, and reads all of it then. False on failure, with
 * result->error; true with result->fault where something is missing or damaged for good.
 */
bool recover_trace(const char *path, struct recover_result *result);

/* The same, but leaves the memory to the caller. */
bool recover_trace_beside(const char *path, struct recover_result *result);

/* Recovers the trace that a buffer file names. */
bool recover_buffer(const char *path, struct recover_result *result);

/* Removes the memory of a trace unread, given the trace's folder or the buffer file itself. */
bool recover_discard(const char *path, struct recover_result *result);

#endif
