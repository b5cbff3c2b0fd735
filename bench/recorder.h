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
 * Begins to record into `path`; `options` are the recorder's own. Does nothing if another program
 * decides about both, as LTTng's session does.
 */
void recorder_open(const char *path, const char *options);

/* Waits until the recorder has written out its buffer. */
void recorder_settle(void);

/*
 * Gives the recorder's other threads time between short bursts. Does not flush: that would close
 * the packets that the next burst continues.
 */
static inline void recorder_rest(void)
{
	usleep(1000);
}

/* Ends recording; returns how many events the recorder says it lost. */
uint64_t recorder_close(void);

#include RECORDER

/* Kinds of events that only this recorder has, for loops.h; same form as KINDS of kinds.h. */
#ifndef RECORDER_KINDS
#define RECORDER_KINDS(LOOP)
#endif

#endif
