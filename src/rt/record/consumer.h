/* SPDX-License-Identifier: MIT */
/*
 * The interface of a recording backend for its packets. The recorder knows nothing
 * else of the backends; rt/control/consumers.c has the table. Of each cursor the consumer has
 * bytes of its own, see CURSOR_OWN_BYTES.
 *
 * A consumer works under the process's drain lock: in the writer thread, or in
 * a thread of the program with all signals blocked. It takes closed packets
 * from a cursor's list, and may take an open one after all, see close.h.
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
	DRAIN_CRASH, /* the same, of threads in an event too if the buffer ends with them */
	DRAIN_END, /* the same, and report every loss: nothing may come after it */
};

/* The state of a consumer's file. */
struct consumer_status {
	uint64_t unwritten; /* events that it took, but the file did not */
	uint64_t progress; /* counts system calls that returned */
	int error; /* errno of the last write, 0 when it went well */
	const char *left; /* message about events that stay in the buffer; NULL: none do */
};

struct consumer {
	/* Zeroed memory that a fork wipes; the buffer points to it. */
	size_t state_bytes;

	/*
	 * Before the first event. Fills in where the buffer's file is to be; leaves
	 * it empty for memory that ends with the process. Several threads may do
	 * this at once: all but one see abandon() instead of begun(), which comes
	 * when the buffer is published. Any signal handler.
	 */
	void (*begin)(void *state, struct buffer_place *place);
	void (*begun)(struct buffer *b);
	void (*abandon)(void *state);

	/*
	 * Takes recorded packets, and writes those that are due. Returns the number of events
	 * taken, or an estimate.
	 */
	uint64_t (*pass)(struct process *p, struct recorder *r, enum drain_mode mode);

	/* The program is quiet: reports the losses that no packet has reported yet. */
	void (*settle)(struct recorder *r);

	/* True if nothing of the cursor, or of the recorder as a whole, waits for another pass. */
	bool (*has_all)(struct recorder *r, struct cursor *c);
	bool (*is_through)(struct recorder *r);

	/*
	 * True if the consumer owes the cursor nothing beyond its packets and losses. `left`: its
	 * thread has ended inside of an event, and the cursor begins anew. NULL: it never does.
	 */
	bool (*is_done)(struct cursor *c, bool left);

	/*
	 * Frees memory, be it by giving up the oldest packets. False where it got none
	 * now. NULL: its file keeps everything, so nothing is ever given up.
	 */
	bool (*evict)(struct recorder *r);

	/*
	 * In a jail: publishes the declarations of the events so far for the drain, before a packet
	 * that has them is closed. NULL: the backend cannot record there. Any thread, any signal
	 * handler.
	 */
	void (*declare)(struct buffer *b);

	/* Closes files that were opened by a thread of the program. */
	void (*pause)(struct recorder *r);

	/* The name of its file, as far as it is known. */
	void (*get_name)(const struct recorder *r, char *name, size_t size);
	void (*get_status)(const struct recorder *r, struct consumer_status *status);
};

/* Of the sinks that record, and of a backend that records nothing in a jail. */
extern const struct consumer waymark_consumer_ctf;
extern const struct consumer waymark_consumer_ctf_jail;
extern const struct consumer waymark_consumer_simple;
extern const struct consumer waymark_consumer_none;

extern const struct consumer *const waymark_consumers[WAYMARK_RECORDERS];

/* The same in a jail, where they have begun(), declare() and the last two only. */
extern const struct consumer *const waymark_consumers_jailed[WAYMARK_RECORDERS];

#endif
