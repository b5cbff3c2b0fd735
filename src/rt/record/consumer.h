/* SPDX-License-Identifier: MIT */
/*
 * The interface by which a recording backend drains its packets. The recorder uses nothing else of
 * the backends; rt/control/consumers.c has the table. In each cursor some bytes belong to the
 * consumer, see CURSOR_OWN_BYTES.
 *
 * A consumer works under the process's drain lock: in the writer thread, or in a thread of the
 * program with all signals blocked. It takes closed packets from a cursor's list, and may also take
 * an open one, see close.h.
 */
#ifndef RT_RECORD_CONSUMER_H
#define RT_RECORD_CONSUMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rt/record/buffer.h"
#include "rt/record/cursor.h"

struct process;
struct recorder;

enum drain_mode {
	DRAIN_USUAL,
	DRAIN_FLUSH, /* everything recorded by now must be in its file */
	DRAIN_CRASH, /* the same, with packets of threads in events if the buffer ends too */
	DRAIN_END, /* the same, and report every loss, because nothing may follow */
};

/* The state of a consumer's file. */
struct consumer_status {
	uint64_t unwritten; /* events that the consumer took but the file did not */
	uint64_t progress; /* counts system calls that returned */
	int error; /* errno of the last write; 0: it succeeded */
	const char *left; /* message about events that stay in the buffer; NULL: none do */
};

struct consumer {
	/* Size of the state: zeroed memory that a fork wipes, to which the buffer points. */
	size_t state_bytes;

	/*
	 * Called before the first event. Fills in the place of the buffer's file; leaves it empty
	 * for memory that ends with the process. Several threads may call it at the same time: for
	 * one of them begun() follows when the buffer is published, for the others abandon(). Any
	 * signal handler.
	 */
	void (*begin)(void *state, struct buffer_place *place);
	void (*begun)(struct buffer *b);
	void (*abandon)(void *state);

	/*
	 * Takes recorded packets, and writes those that are due. Returns the number of events
	 * taken, or an estimate.
	 */
	uint64_t (*pass)(struct process *p, struct recorder *r, enum drain_mode mode);

	/* Called when the program is quiet: reports the losses that no packet has reported yet. */
	void (*settle)(struct recorder *r);

	/*
	 * Return true if nothing of the cursor, or of the whole recorder, waits for another pass.
	 */
	bool (*has_all)(struct recorder *r, struct cursor *c);
	bool (*has_finished)(struct recorder *r);

	/*
	 * Returns true if the consumer has nothing left to do for the cursor besides its packets
	 * and losses. `left`: its thread has ended inside an event, and the cursor will be reset.
	 * NULL: always true.
	 */
	bool (*is_done)(struct cursor *c, bool left);

	/*
	 * Frees memory, if necessary by evicting the oldest packets. Returns false if it could free
	 * none now. NULL: the file keeps everything, so nothing is ever evicted.
	 */
	bool (*evict)(struct recorder *r);

	/*
	 * In a jail: publishes the declarations of the events so far for the drain, before a packet
	 * with such events is closed. NULL: the backend cannot record in a jail. Any thread, any
	 * signal handler.
	 */
	void (*declare)(struct buffer *b);

	/* Closes files that were opened by a thread of the program. */
	void (*pause)(struct recorder *r);

	/* Gives the name of its file, as far as it is known. */
	void (*get_name)(const struct recorder *r, char *name, size_t size);
	void (*get_status)(const struct recorder *r, struct consumer_status *status);
};

/* The consumer of each backend that records. rt/control defines both tables. */
extern const struct consumer *const waymark_consumers[WAYMARK_RECORDERS];

/* The same in a jail: some functions are NULL. */
extern const struct consumer *const waymark_consumers_jailed[WAYMARK_RECORDERS];

#endif
