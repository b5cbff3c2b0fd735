/* SPDX-License-Identifier: MIT */
/*
 * Interface to a measured recorder: recorder_<x>.h defines record_two_u64(a, b) and
 * record_u64_str(a, s) as a program would call them, recorder_<x>.c the functions
 * below. A benchmark is compiled once for every recorder, with
 * -DRECORDER='"recorder_<x>.h"', so that all of them run the same loops.
 */
#ifndef BENCH_RECORDER_H
#define BENCH_RECORDER_H

#include <stdint.h>
#include <unistd.h>

/*
 * Begins to record into `path`; `options` are the recorder's own. Where
 * another program decides about both (LTTng's session), does nothing.
 */
void recorder_open(const char *path, const char *options);

/* Waits until what was recorded has left the memory that was given for it. */
void recorder_settle(void);

/*
 * Between short bursts: time for the recorder's other threads. No flush, which
 * would close the packets that the next burst goes on with.
 */
static inline void recorder_rest(void)
{
	usleep(1000);
}

/* Ends recording; returns how many events the recorder says it lost. */
uint64_t recorder_close(void);

#include RECORDER

/* Kinds of events that this recorder alone has, for loops.h: as KINDS of kinds.h. */
#ifndef RECORDER_KINDS
#define RECORDER_KINDS(LOOP)
#endif

#endif
