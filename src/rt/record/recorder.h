/* SPDX-License-Identifier: MIT */
/*
 * The recorder: per-thread cursors over packets of a buffer, and one writer
 * thread that hands them to their consumer. Everything of it that a fork must
 * not share lies in pages that fork wipes, so a child starts afresh.
 *
 *	cursor --> packet --> (closed, or taken after all) --> writer --> consumer
 *
 * Each backend that records has a buffer and a consumer of its own. A file of this folder
 * calls only those below it:
 *
 *	producer	recorder.c
 *			writer.c (starts the thread), room.c, seal.c
 *	consumer	flush.c, leftovers.c, leftover.c
 *			drain.c, close.h, stats.c
 *	memory		jail.c, process.c, slot.c
 *			buffer_file.c, buffer.c, clock.c, wiped.c
 *
 * Upwards leads only the table of consumers (consumer.h).
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
	uint64_t bytes; /* of these */
	uint64_t lost; /* no room in the buffer, or nested too deep */
	uint64_t unwritten; /* recorded, but the sink failed to write them */
	int error; /* errno of the last write, 0 when it went well */
	enum waymark_recorder failed; /* the recorder that failed */
};

#define RECORDER_BUFFER_MIN (UINT64_C(1) << 20)
#define RECORDER_BUFFER_MAX (UINT64_C(64) << 30)

/* `bytes` bound each buffer. Before the first event of the process; 0, or -1 with the reason. */
int waymark_recorder_set_buffer(uint64_t bytes, struct waymark_error *error);

/* The same for what happens when that is full. */
int waymark_recorder_set_policy(enum recorder_policy policy, struct waymark_error *error);
enum recorder_policy waymark_recorder_policy(void);

/*
 * The bytes that a string may take, the mark of a cut counted in. Before the first event of the
 * process; 0, or -1 with the reason.
 */
#define RECORDER_STRING_MIN 8u
#define RECORDER_STRING_MAX (WAYMARK_RECORD_MAX / 2) /* what an event takes of its only one */
int waymark_recorder_set_string(uint64_t bytes, struct waymark_error *error);

/* How long events may wait in memory before they go to their file. Any time. */
void waymark_recorder_set_delay(uint64_t ns);
uint64_t waymark_recorder_delay(void);

/*
 * The memory that killed processes of this user may hold together, as bytes; see leftover.h.
 * Before the first event of the process.
 */
#define RECORDER_LEFTOVERS_OFF UINT64_MAX /* they stay */
#define RECORDER_LEFTOVERS_DEFAULT (UINT64_MAX - 1)
void waymark_recorder_set_leftovers(uint64_t bytes);

/*
 * Which signals that the program does not handle itself wait for the writer, two
 * seconds without progress, five at most: none, those of a crash (SIGABRT, SIGSEGV,
 * SIGBUS, SIGILL, SIGFPE), or SIGTERM, SIGINT and SIGHUP too. Those of a crash,
 * unless this is called before the first event of the process.
 */
enum recorder_crash { RECORDER_CRASH_OFF, RECORDER_CRASH_ON, RECORDER_CRASH_ALL };
void waymark_recorder_set_crash_signals(enum recorder_crash signals);

/*
 * Waits until every event recorded before the call is in its file. Returns 0,
 * or -1 with errno when it could not be written. Works without a writer thread
 * (fork child, exit): the caller then drains itself.
 */
int waymark_recorder_flush(void);

/* With full=overwrite: requests that all in memory be written to its file. Any signal handler. */
void waymark_recorder_snapshot(void);

void waymark_recorder_get_stats(struct waymark_recorder_stats *stats);

/* Counts an event as lost that no call tried to record. Any thread, any signal handler. */
void waymark_recorder_lose(enum waymark_recorder recorder, uint32_t id);

/*
 * Installs handlers that flush when the program crashes, for signals that it does not handle. Any
 * signal handler.
 */
void waymark_crash_init(void);

/* True if the caller may be a signal handler: a signal that has one is blocked. Any context. */
bool waymark_may_be_handler(void);

#endif
