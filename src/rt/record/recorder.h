/* SPDX-License-Identifier: MIT */
/*
 * The recorder: per-thread cursors over packets of one arena, and one writer
 * thread that hands finished bytes to the sinks. Everything of it that a fork
 * must not share lies in pages that fork wipes, so a child starts afresh.
 *
 *	cursor --> packet --> (closed or still open) --> writer --> sink_simple
 */
#ifndef RT_RECORD_RECORDER_H
#define RT_RECORD_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include <waymark/control.h>
#include <waymark/record.h>

/* Counters of this process since its recorder started. */
struct waymark_recorder_stats {
	uint64_t recorded;
	uint64_t lost; /* no room in the arena, or nested too deep */
	uint64_t unwritten; /* recorded, but the sink failed to write them */
};

/* `buffer` bytes bound the arena; takes effect before the first event of the process. */
int waymark_recorder_set_buffer(uint64_t bytes, struct waymark_error *error);

/*
 * Waits until every event recorded before the call is in its file. Returns 0,
 * or -1 with errno when it could not be written. Works without a writer thread
 * (fork child, exit): the caller then drains itself.
 */
int waymark_recorder_flush(void);

/*
 * Whether a crash (SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE) that the program
 * does not handle itself waits for the writer: two seconds without progress,
 * five at most. On unless switched off before the first event of the process.
 */
void waymark_recorder_set_crash_signals(bool on);

void waymark_recorder_get_stats(struct waymark_recorder_stats *stats);

#endif
