/* SPDX-License-Identifier: MIT */
/*
 * A trace that its process could not finish made a clean one: leftovers of the
 * buffer folded in, torn ends cut, clock and indexes made right, the buffer
 * removed last. Whoever is killed meanwhile leaves what the next run finishes;
 * a trace that needs nothing is not touched. Any process; one at a time works,
 * the others wait for it.
 */
#ifndef RECOVER_RECOVER_H
#define RECOVER_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

struct recover_result {
	uint64_t streams;
	uint64_t events; /* that only the buffer had */
	uint64_t lost; /* events, as the packets count them */
	uint64_t cut; /* bytes at torn ends that hold no whole event */
	uint64_t missing; /* packets that only an index knows of, or of which a part is cut */
	uint64_t faults; /* memory that is gone, and places that cannot be read, when all is done */
	char fault[600]; /* the first of these, or what is missing; "" where nothing is wrong */
	char kept_for[300]; /* the original, where this is a copy: its process's memory stays */
	bool changed; /* there was something to do */
	char error[600]; /* why not, and what to do; "" when all is well */
};

/*
 * Recovers the trace in the folder `path`, and reads all of it then. False on
 * failure, with result->error; true with result->fault where something is
 * missing, or damaged, that nothing can mend.
 */
bool recover_trace(const char *path, struct recover_result *result);

/* The same, and the buffer stays: who calls it has other plans for that. */
bool recover_trace_beside(const char *path, struct recover_result *result);

/* Throws away what the process of a trace left, given the folder or the buffer file itself. */
bool recover_discard(const char *path, struct recover_result *result);

/* Recovers the trace that a buffer file names. */
bool recover_buffer(const char *path, struct recover_result *result);

#endif
