/* SPDX-License-Identifier: MIT */
/*
 * The state of the recorder in this process, in pages that fork wipes: all
 * zero is the valid state of a process that has recorded nothing yet, so a
 * child needs no clean-up and takes no lock of its parent's.
 */
#ifndef RT_RECORD_PROCESS_H
#define RT_RECORD_PROCESS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include <waymark/control.h>
#include <waymark/record.h>

#include "rt/record/buffer.h"
#include "rt/record/consumer.h"

/* The writer thread. REFUSED: it could not be created; callers drain themselves. */
enum writer_state { WRITER_NONE, WRITER_STARTING, WRITER_RUNNING, WRITER_REFUSED };

enum crashed { CRASH_NONE, CRASH_FLUSHING, CRASH_FLUSHED };

enum notice_state { NOTICE_NONE, NOTICE_FILLING, NOTICE_READY };

/*
 * One line to print. The thread that set FILLING, by compare-and-swap, owns the rest, and makes or
 * prints the line.
 */
struct notice {
	uint32_t state; /* enum notice_state; READY by release */
	uint32_t length;
	char text[1024]; /* the whole line */
};

/*
 * More than there are kinds of notices; each kind is given only once, or only once until the fault
 * ends.
 */
#define NOTICES 24

/* A recording backend's state in this process. */
struct recorder {
	struct buffer
		*buffer; /* by release, once; BUFFER_NONE, BUFFER_WANTED: nothing recorded yet */
	uint32_t no_memory; /* there will be no buffer */
	uint32_t begun; /* futex: 1 when the consumer has the buffer, by release */
	uint32_t room; /* futex: counts sub-buffers that became free */
	uint32_t waiting; /* threads that wait for room */
	uint32_t writing; /* with full=overwrite: the consumer writes files, and frees no memory */
	uint64_t
		evict_ns; /* with full=overwrite: making room failed; do not try before that time */
	uint32_t seal; /* futex: at the end of the process, see seal.h */
	uint64_t sealed_ns; /* when it was set */
	uint32_t seal_passed; /* 1: a thread recorded in spite of it */
	uint32_t seal_final; /* 1: events recorded from now on may be lost */
	uint32_t seal_reported; /* 1: that loss was reported */
	uint32_t beats; /* in a jail: the drain's counter of beats when last read */
	uint64_t beats_ns; /* since when `beats` has not changed */
	uint32_t stalled; /* the consumer cannot write now: do not wait for room */
	uint64_t lost; /* events, in total */
	uint64_t lost_unplaced; /* of these, by threads without a slot or a buffer */
};

/* Values instead of a buffer. WANTED: a thread is making it; a fork's child begins again. */
#define BUFFER_NONE ((struct buffer *)0)
#define BUFFER_WANTED ((struct buffer *)1)

/* A packet that stays open, see standing.h. All zero: not used yet. */
struct standing {
	struct waymark_cursor cursor; /* busy: a thread adds a record */
	uint64_t stream;
	uint32_t unit; /* its sub-buffer */
};

#define STANDING_MAX 64u

/* AGGREGATIONS_MAX of rt/event/aggregation.h. */
#define PROCESS_AGGREGATIONS 64u

/* Returns true if buffers were made for a jail, see jail.h. */
bool waymark_jail_is_on(void);

struct process {
	struct recorder recorders[WAYMARK_RECORDERS];
	uint32_t pid; /* the owner of this memory, see process_is_borrowed() */
	uint32_t is_first; /* 1: it made the buffers of a jail */
	uint32_t writer; /* enum writer_state */
	uint32_t writer_tid;
	uint32_t doorbell; /* futex: 1 while the writer sleeps */
	uint32_t flush_wanted; /* flushes requested */
	uint32_t flush_done; /* futex: flushes done */
	uint32_t snapshots; /* requested, see recorder.h */
	uint32_t snapshots_seen; /* set by the writer: `snapshots` at its last round */
	uint32_t crashed; /* enum crashed, a futex; see flush.c */
	uint32_t leaving; /* 1: the process is about to end: never wait long */
	uint32_t ending_tid; /* of the thread that ends the process or has crashed */
	uint32_t ending_busy; /* bit recorder * CURSOR_DEPTHS + depth: an event that it will not
				 finish */
	uint64_t moment; /* ticks in 100 ms; 0 while not measured yet */
	uint32_t drain_lock; /* 1: a consumer works. By compare-and-swap, never waited for long */

	struct standing standing[STANDING_MAX];
	uint64_t standing_ns; /* no memory for a standing packet: do not try before that time */
	uint32_t maps; /* number of the last map of aggregations; 0: there is none */
	uint64_t pairs_forgotten; /* calls that began an elapsed(), see pair_table.h; atomic */
	uint64_t left_out; /* values that aggregations lack, */
	waymark_count *left_out_of[PROCESS_AGGREGATIONS]; /* and each, in its record; NULL: none */

	/* Messages of the writer, which a thread of the program prints. */
	uint32_t notices_wait; /* 1, by release: there may be messages to print */
	uint32_t notices_lost; /* messages that found no place; their number is printed */
	struct notice notices[NOTICES];
};

/*
 * Returns the process block; NULL only if there is no memory for it. Any thread, any signal
 * handler.
 */
struct process *waymark_process(void);

/* Returns the process block if waymark_process() was called before; otherwise NULL. */
struct process *waymark_process_current(void);

/* Refuses a setting after the first event. Returns 0, or -1 with the reason. */
int waymark_process_refuse_late(const char *what, struct waymark_error *error);

/* Returns the recorder's buffer; NULL while it has recorded nothing. */
static inline struct buffer *recorder_buffer(const struct recorder *r)
{
	struct buffer *b = __atomic_load_n(&r->buffer, __ATOMIC_ACQUIRE);

	return b == BUFFER_WANTED ? BUFFER_NONE : b;
}

/* Returns true if anything was recorded. */
static inline bool process_has_recorded(const struct process *p)
{
	for (int k = 0; k < WAYMARK_RECORDERS; k++) {
		if (recorder_buffer(&p->recorders[k])) {
			return true;
		}
	}
	return false;
}

static inline const struct consumer *recorder_consumer(
	const struct process *p, const struct recorder *r)
{
	return (waymark_jail_is_on() ? waymark_consumers_jailed
				     : waymark_consumers)[r - p->recorders];
}

/* Returns true if a flush was requested that no pass has served yet. */
static inline bool process_has_flush(const struct process *p)
{
	return __atomic_load_n(&p->flush_wanted, __ATOMIC_ACQUIRE) !=
	       __atomic_load_n(&p->flush_done, __ATOMIC_RELAXED);
}

/* Returns true if its buffer belongs to a jail, so that another process drains it. */
static inline bool recorder_is_jailed(const struct recorder *r)
{
	const struct buffer *b = recorder_buffer(r);

	return b && b->file.jail.on;
}

/* Returns the futex that counts sub-buffers which became free, shared with the drain in a jail. */
static inline uint32_t *recorder_room(struct recorder *r)
{
	return recorder_is_jailed(r) ? &recorder_buffer(r)->file.jail.room : &r->room;
}

/*
 * Returns true in a child between vfork and exec, which has the memory of its parent but not the
 * threads.
 */
static inline bool process_is_borrowed(const struct process *p)
{
	return __atomic_load_n(&p->pid, __ATOMIC_RELAXED) != (uint32_t)getpid();
}

/* Wakes the writer if it sleeps. Any thread, any signal handler. */
void waymark_doorbell(void);

/* Takes the drain lock if it is free. Its holder has blocked all signals, or is the writer. */
bool waymark_drain_trylock(struct process *p);
void waymark_drain_unlock(struct process *p);

/*
 * Leaves a line that the next thread of the program that can prints on standard error; `fmt` as for
 * waymark_line_put(). Async-signal-safe.
 */
void waymark_notice(struct process *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Prints all notices. Any thread of the program; async-signal-safe. */
void waymark_notice_say(struct process *p);

/*
 * Memory that a fork's child finds zeroed, no matter how the child is made (MADV_WIPEONFORK). For
 * everything that a process must not share with its parent and whose valid initial state is all
 * zero. See wiped.c.
 */

/* Maps zeroed memory; returns NULL on failure. Any thread, any signal handler. */
void *waymark_wiped_map(size_t bytes);

/*
 * Returns the memory of that size at *place, which other threads may read by acquire; maps it now
 * if there is none. Returns NULL on failure. The thread that owns the place, in any context.
 */
static inline void *waymark_wiped_at(void **place, size_t bytes)
{
	void *memory = __atomic_load_n(place, __ATOMIC_ACQUIRE);

	if (__builtin_expect(!memory, 0)) {
		int saved = errno;

		memory = waymark_wiped_map(bytes);
		errno = saved;
		__atomic_store_n(place, memory, __ATOMIC_RELEASE);
	}
	return memory;
}

/* Unmaps such memory. */
void waymark_wiped_unmap(void *p, size_t bytes);

/*
 * Call first in a fork's child: zeroes what the kernel has not. Returns whether the kernel accepts
 * advice but follows none. Then memory that was meant only for the parent (MADV_DONTFORK) is mapped
 * in the child, too; otherwise its addresses are free, or have what the child itself has mapped
 * there.
 */
bool waymark_wiped_renew(void);

/* Ticks in 100 ms on a usual processor, used until they are measured. */
#define MOMENT_GUESS UINT64_C(250000000)

/* Returns the ticks in 100 ms. */
static inline uint64_t process_moment(const struct process *p)
{
	uint64_t moment = __atomic_load_n(&p->moment, __ATOMIC_RELAXED);

	return moment ? moment : MOMENT_GUESS;
}

#endif
