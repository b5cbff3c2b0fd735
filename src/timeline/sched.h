/* SPDX-License-Identifier: MIT */
/*
 * The kernel's scheduler as rows of spans: for each processor which thread runs, for each thread if
 * it runs, could run, or waits. Made of the switches of a capture of the kernel's trace, and of
 * what wakes threads, where the capture has it. The number of spans is bounded: those after the
 * limit are not there. One thread.
 */
#ifndef TIMELINE_SCHED_H
#define TIMELINE_SCHED_H

#include "read/kernel/text.h"
#include "read/keys.h"
#include "timeline/near.h"

/* Spans of all rows: 24 bytes each. */
#define SCHED_MAX ((size_t)1 << 20)

enum sched_state { SCHED_RUNNING = 1, SCHED_RUNNABLE, SCHED_WAITING };

struct sched_span {
	int64_t begin_ns;
	int64_t end_ns; /* NEAR_OPEN: not known */
	uint32_t what; /* of a processor: the thread; of a thread: its state */
};

struct sched_row {
	bool is_cpu;
	uint32_t id; /* number of the processor or thread */
	VEC(struct sched_span) spans; /* by time */
};

struct sched {
	VEC(struct sched_row) rows;
	struct keys by_id; /* indices of `rows` */
	size_t spans;
	bool is_cut; /* there were more spans than the limit */
	int64_t first_ns; /* of these events */
	int64_t last_ns;
};

void sched_init(struct sched *s);
void sched_fini(struct sched *s);

/* Adds an event; only switches, losses and what wakes a thread matter. */
void sched_add(struct sched *s, const struct kernel_event *e);

/* Ends all spans. Call after the last event. */
void sched_end(struct sched *s);

/* Adds the spans of a row that are in a time to near->items; the row is the track. */
void sched_near(const struct sched *s, size_t row, struct near *near);

#endif
