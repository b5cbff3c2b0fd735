/* SPDX-License-Identifier: MIT */
/*
 * The state of the recorder in this process, in pages that fork wipes: all
 * zero is the valid state of a process that has recorded nothing yet, so a
 * child needs no clean-up and takes no lock of its parent's.
 */
#ifndef RT_RECORD_PROCESS_H
#define RT_RECORD_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include <waymark/control.h>

#include "rt/record/buffer.h"
#include "rt/record/consumer.h"

/* The writer thread. REFUSED: it could not be created; callers drain themselves. */
enum writer_state { WRITER_NONE, WRITER_STARTING, WRITER_RUNNING, WRITER_REFUSED };

enum crashed { CRASH_NONE, CRASH_FLUSHING, CRASH_FLUSHED };

enum notice_state { NOTICE_NONE, NOTICE_FILLING, NOTICE_READY };

/*
 * One line to print. The thread that set FILLING, by compare-and-swap, owns the rest: it makes
 * the line, or prints it.
 */
struct notice {
	uint32_t state; /* enum notice_state; READY by release */
	uint32_t length;
	char text[1024]; /* the whole line */
};

/* More than there are kinds of notices, each of which is left once, or once until it is mended. */
#define NOTICES 24

/* A recording backend's state in this process. */
struct recorder {
	struct buffer
		*buffer; /* by release, once; BUFFER_NONE, BUFFER_WANTED: nothing recorded yet */
	uint32_t no_memory; /* there will be no buffer */
	uint32_t begun; /* futex: 1 when the buffer is its consumer's, by release */
	uint32_t room; /* futex: counts sub-buffers that became free */
	uint32_t waiting; /* threads that wait for room */
	uint32_t writing; /* with full=overwrite: the consumer writes files, and frees no memory */
	uint64_t
		evict_ns; /* with full=overwrite: making room failed; do not try before that time */
	uint32_t seal; /* futex: at the end of the process, see seal.h */
	uint64_t sealed_ns; /* when it was set */
	uint32_t seal_passed; /* 1: a thread recorded all the same */
	uint32_t seal_final; /* 1: events recorded from now on may be lost */
	uint32_t seal_reported; /* 1: that was reported */
	uint32_t beats; /* in a jail: the drain's counter of beats, when it was seen last */
	uint64_t beats_ns; /* since when it has not changed */
	uint32_t stalled; /* the consumer cannot write now: do not wait for room */
	uint64_t lost; /* events, all in all */
	uint64_t lost_unplaced; /* of these: by threads without a slot or a buffer */
};

/* In place of a buffer. WANTED: a thread makes it now; a fork's child begins again. */
#define BUFFER_NONE ((struct buffer *)0)
#define BUFFER_WANTED ((struct buffer *)1)

/* True if buffers were made for a jail, see jail.h. */
bool waymark_jail_is_on(void);

struct process {
	struct recorder recorders[WAYMARK_RECORDERS];
	uint32_t pid; /* the owner of this memory, see process_is_borrowed() */
	uint32_t is_first; /* it made the buffers of a jail */
	uint32_t writer; /* enum writer_state */
	uint32_t writer_tid;
	uint32_t doorbell; /* futex: 1 while the writer sleeps */
	uint32_t flush_wanted; /* flushes asked for */
	uint32_t flush_done; /* futex: flushes done */
	uint32_t snapshots; /* asked for, see recorder.h */
	uint32_t snapshots_seen; /* `snapshots` at the writer's last round; the writer sets it */
	uint32_t crashed; /* enum crashed, a futex; see flush.c */
	uint32_t leaving; /* the process is about to end: wait for nothing long */
	uint32_t ending_tid; /* of the thread that ends it, or has crashed */
	uint32_t ending_busy; /* bit recorder * CURSOR_DEPTHS + depth: an event that it will not
				 finish */
	uint64_t moment; /* ticks in 100 ms; 0 while not measured yet */
	uint32_t drain_lock; /* 1: a consumer works. By compare-and-swap, never waited for long */

	/* Messages of the writer; a thread of the program prints them. */
	uint32_t notices_wait; /* 1, by release: there may be some to print */
	uint32_t notices_lost; /* those that found no place; their number is printed */
	struct notice notices[NOTICES];
};

/* NULL only when there is no memory for it. Any thread, any signal handler. */
struct process *waymark_process(void);

/* waymark_process() if it was called before; else NULL. */
struct process *waymark_process_current(void);

/* Refuses a setting that must come before the first event: 0, or -1 with the reason. */
int waymark_process_refuse_late(const char *what, struct waymark_error *error);

/* NULL as long as nothing was recorded with it. */
static inline struct buffer *recorder_buffer(const struct recorder *r)
{
	struct buffer *b = __atomic_load_n(&r->buffer, __ATOMIC_ACQUIRE);

	return b == BUFFER_WANTED ? BUFFER_NONE : b;
}

/* True if anything was recorded. */
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

/* True if a flush was requested that no pass has served yet. */
static inline bool process_has_flush(const struct process *p)
{
	return __atomic_load_n(&p->flush_wanted, __ATOMIC_ACQUIRE) !=
	       __atomic_load_n(&p->flush_done, __ATOMIC_RELAXED);
}

/* True if its buffer is one of a jail's: another process drains it. */
static inline bool recorder_is_jailed(const struct recorder *r)
{
	const struct buffer *b = recorder_buffer(r);

	return b && b->file.jail.on;
}

/* A futex that counts sub-buffers which became free; other processes' too where it is jailed. */
static inline uint32_t *recorder_room(struct recorder *r)
{
	return recorder_is_jailed(r) ? &recorder_buffer(r)->file.jail.room : &r->room;
}

/*
 * True if this is a child between vfork and exec: the memory is its parent's,
 * the threads are not.
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
 * Has a line printed on standard error by the next thread of the program that can;
 * `fmt` as of waymark_line_put(). Async-signal-safe.
 */
void waymark_notice(struct process *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Prints all notices. Any thread of the program; async-signal-safe. */
void waymark_notice_say(struct process *p);

/*
 * Memory that a fork's child finds zeroed, however it was made (MADV_WIPEONFORK): all that a
 * process must not share with its parent, and whose valid initial state is all zero. See wiped.c.
 */

/* Maps zeroed memory; NULL on failure. Any thread, any signal handler. */
void *waymark_wiped_map(size_t bytes);

/* Unmaps it. */
void waymark_wiped_unmap(void *p, size_t bytes);

/*
 * In a fork's child, first of all: zeroes what the kernel has not. Returns whether the kernel
 * takes advice and follows none; then what was to be the parent's alone (MADV_DONTFORK) is mapped
 * here, too. Elsewhere nothing is at its addresses, or what the child itself has mapped there.
 */
bool waymark_wiped_renew(void);

#endif
