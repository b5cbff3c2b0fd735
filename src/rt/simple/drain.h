/* SPDX-License-Identifier: MIT */
/*
 * The consumer of the sink `simple`: takes what cursors have published, of
 * closed packets and of open ones, merges it by time and encodes it in runs of
 * one cursor.
 *
 * A pass takes what is older than its begin. So what it writes is in order but
 * for events that were being recorded at that moment, and threads that record
 * all the time cannot make it endless. A thread that stops in the middle of an
 * event holds up nobody but itself, if it had signal handlers that recorded, and
 * that not longer than DRAIN_HOLD, so that each thread's events stay in order.
 */
#ifndef RT_SIMPLE_DRAIN_H
#define RT_SIMPLE_DRAIN_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "rt/record/buffer.h"
#include "rt/record/consumer.h"
#include "rt/record/cursor.h"
#include "rt/simple/simple.h"

#define DRAIN_HOLD 2 /* in moments of 100 ms */
#define DRAIN_SOURCES 4096u

/* How long what was encoded waits for more, at first and later. */
#define DRAIN_WAIT_FIRST_NS UINT64_C(1000000)
#define DRAIN_WAIT_NS UINT64_C(100000000)

/* A cursor with something to take, in the heap of a pass. */
struct source {
	uint64_t ticks; /* of its next record */
	uint64_t horizon; /* later ones stay for the next pass */
	struct cursor *cursor;
};

/* The consumer's state. */
struct simple_drain {
	struct clock_pair last; /* the end of the clock's last segment */
	uint64_t told_unplaced; /* of lost_unplaced */
	uint64_t write_due; /* ns: the batch must be written then; 0: it is empty */
	uint64_t wait_ns;
	uint32_t count;
	struct source heap[DRAIN_SOURCES];
	char directory[PATH_MAX]; /* of the first event, where the default file is; "": not known */
	struct simple_out out;
};

/* This process's, NULL as long as it has recorded nothing. */
struct simple_drain *waymark_simple_current(void);

#endif
