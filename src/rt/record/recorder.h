/* SPDX-License-Identifier: MIT */
/*
 * The recorder: per-thread cursors over packets of a buffer, and one writer thread that passes
 * packets to their consumer. Everything that a fork must not share is in pages that fork wipes, so
 * a child starts afresh.
 *
 *	cursor --> packet --> (closed, or taken after all) --> writer --> consumer
 *
 * Each backend that records has its own buffer and consumer. A file of this folder calls only those
 * in rows below it:
 *
 *	recorder.c	records events, for producers
 *	writer.c	the thread that drains
 *	room.c		makes buffers
 *	flush.c		flushes, also at the end of the process
 *	stats.c		counts
 *	jail.c, leftovers.c
 *	buffer_file.c, seal.c
 *	drain.c, process.c, scope.c, leftover.c
 *	slot.c		one for each thread
 *	buffer.c, clock.c, wiped.c
 *
 * The only way upwards is the table of consumers (consumer.h).
 */
#ifndef RT_RECORD_RECORDER_H
#define RT_RECORD_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include <waymark/control.h>
#include <waymark/record.h>

/* The policy for an event that finds no memory. */
enum recorder_policy {
	RECORDER_DISCARD, /* it is lost, and counted */
	RECORDER_OVERWRITE, /* the oldest packet is dropped; files are written on request only */
	RECORDER_BLOCK, /* it waits */
};

/* Counters of this process since its recorder started. */
struct waymark_recorder_stats {
	uint64_t recorded;
	uint64_t bytes; /* of the recorded events */
	uint64_t lost; /* no room in the buffer, or nested too deep */
	uint64_t unwritten; /* recorded, but the sink failed to write them */
	int error; /* errno of the last write; 0: it succeeded */
	enum waymark_recorder failed; /* the recorder whose write failed */
};

#define RECORDER_BUFFER_MIN (UINT64_C(1) << 20)
#define RECORDER_BUFFER_MAX (UINT64_C(64) << 30)

/*
 * Sets the largest size of each buffer. Call before the first event of the process. Returns 0, or
 * -1 with the reason.
 */
int waymark_recorder_set_buffer(uint64_t bytes, struct waymark_error *error);

/* Sets what happens if a buffer is full, under the same rule. */
int waymark_recorder_set_policy(enum recorder_policy policy, struct waymark_error *error);
enum recorder_policy waymark_recorder_policy(void);

/*
 * Sets the bytes that a string may take, including the mark of a cut. Call before the first event
 * of the process. Returns 0, or -1 with the reason.
 */
#define RECORDER_STRING_MIN 8u
#define RECORDER_STRING_MAX (WAYMARK_RECORD_MAX / 2) /* of an event's only string */
int waymark_recorder_set_string(uint64_t bytes, struct waymark_error *error);

/* Returns `max`, or less if fewer bytes were set. Any thread; async-signal-safe. */
uint32_t waymark_string_max(uint32_t max);

/*
 * Sets how long events may wait in memory before they are written to their file. May be called at
 * any time.
 */
void waymark_recorder_set_delay(uint64_t ns);
uint64_t waymark_recorder_delay(void);

/*
 * Sets how many bytes of memory killed processes of this user may hold together; see leftover.h.
 * Call before the first event of the process.
 */
#define RECORDER_LEFTOVERS_OFF UINT64_MAX /* leftovers stay */
#define RECORDER_LEFTOVERS_DEFAULT (UINT64_MAX - 1)
void waymark_recorder_set_leftovers(uint64_t bytes);

/*
 * Sets which signals, if the program does not handle them, wait for the writer: no signal, those of
 * a crash (SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, the default), or also SIGTERM, SIGINT and
 * SIGHUP. They wait for two seconds without progress, five at most. Call before the first event of
 * the process.
 */
enum recorder_crash { RECORDER_CRASH_OFF, RECORDER_CRASH_ON, RECORDER_CRASH_ALL };
void waymark_recorder_set_crash_signals(enum recorder_crash signals);

/*
 * Waits until every event recorded before the call is in its file. Returns 0, or -1 with errno if
 * an event could not be written. Also works without a writer thread (fork child, exit): then the
 * caller drains itself.
 */
int waymark_recorder_flush(void);

/*
 * Completes the files at the end of the process and prints what was lost. Called by exit(),
 * quick_exit() and waymark_end().
 */
void waymark_recorder_end(void);

/*
 * With full=overwrite: requests that all events in memory be written to their file. Any signal
 * handler.
 */
void waymark_recorder_snapshot(void);

void waymark_recorder_get_stats(struct waymark_recorder_stats *stats);

/* The id of a record that is not counted if it finds no memory: the caller records it later. */
#define RECORD_UNCOUNTED 0u

/* Counts an event as lost although no call tried to record it. Any thread, any signal handler. */
void waymark_recorder_lose(enum waymark_recorder recorder, uint32_t id);

/*
 * Installs handlers that flush when the program crashes, for signals that it does not handle. Any
 * signal handler.
 */
void waymark_crash_init(void);

/*
 * Returns true if the caller may be a signal handler: a signal with a handler is blocked. Any
 * context.
 */
bool waymark_may_be_handler(void);

/*
 * Returns the calling thread's slot, taken now if it has none; NULL if there is no memory. Any
 * signal handler.
 */
struct slot *waymark_recorder_slot(void);

#endif
