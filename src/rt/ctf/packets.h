/* SPDX-License-Identifier: MIT */
/*
 * A cursor's packets on their way to the stream file. Under the drain lock.
 *
 * `draining.subbuf` is the oldest packet that is not written. It is closed when
 * another one follows it, or when it was taken from its thread.
 */
#ifndef RT_CTF_PACKETS_H
#define RT_CTF_PACKETS_H

#include "rt/ctf/state.h"
#include "rt/record/drain.h"

/* This consumer's own state of a cursor, in cursor.own. */
struct ctf_stream {
	uint64_t evicted; /* events of packets that full=overwrite gave up; modulo 2^64, less
			     what former traces reported */
	uint64_t reported; /* lost and evicted, in the last packet that was written */
	uint64_t seen_bytes; /* of the open packet, when it was looked at last */
	uint64_t seen_ticks; /* it had them by then */
	uint64_t sequence; /* of the last packet that was written or given up */
	uint64_t number; /* taken for a packet without events that is not written yet; 0: none is */
	uint64_t number_ticks; /* when it was taken: the stream's next packet is later */
	uint64_t number_lost; /* the stream's losses by then */
	uint32_t leaked; /* the last forced packet: others may follow it yet; 0: there is none */
	bool forced; /* the packet's thread may still store into it: it is never used again */
	bool unreported; /* no packet that was written is newer than the evicted ones */
};

_Static_assert(sizeof(struct ctf_stream) <= CURSOR_OWN_BYTES, "it lies in a cursor");

static inline struct ctf_stream *ctf_stream(struct cursor *c)
{
	return (void *)c->own;
}

/* The state of a pass. */
struct ctf_round {
	struct recorder *recorder;
	struct buffer *buffer;
	struct ctf_state *state;
	struct clock_pair now;
	uint64_t close_before; /* ticks: open packets that began before are closed */
	uint64_t idle_before; /* and those that have got nothing since */
	uint64_t keep_until; /* ticks: packets that began by then are not given up */
	uint32_t missed; /* open packets from before that a flush did not get */
	struct ctf_snapshot *snapshot; /* what this pass serves; NULL: none */
	uint64_t taken; /* bytes written or given up */
	bool discard; /* nothing is written, all is given up: the sink is off */
	bool alone; /* no thread but the caller's may be in an event */
	bool failed; /* the file takes nothing now */
	bool left; /* events are left in open packets */
};

#define foreach_ctf_cursor(c, s)                                    \
	for (struct cursor *c = (s)->cursors[WAYMARK_RECORDER_CTF]; \
		c < (s)->cursors[WAYMARK_RECORDER_CTF] + CURSOR_DEPTHS; c++)

/* Writes the cursor's closed packets; closes its open one if it is old, or its thread has ended. */
void waymark_ctf_cursor_pass(struct ctf_round *round, struct cursor *c);

/* Only the second half of that. */
void waymark_ctf_cursor_close_old(struct ctf_round *round, struct cursor *c);

/* Has the open packet closed, if there is anything in it. */
void waymark_ctf_cursor_close(struct ctf_round *round, struct cursor *c);

/* True if it is to be closed and is not yet. */
bool waymark_ctf_cursor_is_closing(struct ctf_round *round, struct cursor *c);

/* True if that packet has events from before the pass. */
bool waymark_ctf_cursor_is_awaited(struct ctf_round *round, struct cursor *c);

/* Takes the open packet from a thread that is in an event, and does not come back from it. */
void waymark_ctf_cursor_force(struct ctf_round *round, struct cursor *c);

/* Its thread has ended, inside of an event: all is the consumer's, in whatever state it is. */
void waymark_ctf_cursor_leave(struct ctf_round *round, struct cursor *c);

/* Takes the open packet; false where it was not asked for, or its thread is awake. */
bool waymark_ctf_cursor_take(struct buffer *b, struct cursor *c);

/*
 * Reports losses after the last packet, by a packet without events; not where the thread is awake.
 */
void waymark_ctf_cursor_report(struct ctf_round *round, struct cursor *c);

/* Another trace begins: it does not report again what the former one reported as lost. */
void waymark_ctf_cursor_begin_trace(struct ctf_round *round, struct cursor *c);

/* Gives up the oldest packet, which must be closed, and counts its events. */
void waymark_ctf_cursor_evict(struct recorder *r, struct ctf_state *state, struct cursor *c);

/* When the oldest packet began, UINT64_MAX where none is closed. */
uint64_t waymark_ctf_cursor_age(struct buffer *b, struct cursor *c);

/* Notes whether the open packet has grown. */
void waymark_ctf_cursor_watch(struct ctf_round *round, struct cursor *c);

/*
 * Since when the open packet has not grown, in ticks, as far as that was watched;
 * UINT64_MAX where there is none, or its thread is in an event.
 */
uint64_t waymark_ctf_cursor_idle_since(struct buffer *b, struct cursor *c);

/*
 * True if no number is left that was taken for a packet without events. Once the thread has
 * `left` its event: whether each number is that of a packet which was written or given up;
 * where it ended before it showed the packet, the consumer writes an empty one, which
 * the next owner's packets must not precede.
 */
bool waymark_ctf_cursor_is_done(struct cursor *c, bool left);

/* True if all that the cursor has recorded is written. */
bool waymark_ctf_cursor_is_written(struct buffer *b, struct cursor *c);

#endif
