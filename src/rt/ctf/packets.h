/* SPDX-License-Identifier: MIT */
/*
 * A cursor's packets on their way to the stream file. Under the drain lock.
 *
 * `draining.subbuf` is the oldest packet that is not written. This packet is closed if another one
 * follows it, or if it was taken from its thread.
 */
#ifndef RT_CTF_PACKETS_H
#define RT_CTF_PACKETS_H

#include "rt/ctf/state.h"
#include "rt/record/drain.h"

/* This consumer's own state of a cursor, in cursor.own. */
struct ctf_stream {
	/*
	 * Events of packets that full=overwrite evicted, less those that former traces reported;
	 * modulo 2^64.
	 */
	uint64_t evicted;
	uint64_t reported; /* lost and evicted, in the last packet that was written */
	uint64_t seen_bytes; /* of the open packet when last looked at */
	uint64_t seen_ticks; /* when the packet was first seen with that many */
	uint64_t sequence; /* of the last packet that was written or evicted */
	uint64_t number; /* taken for a packet without events that is not written yet; 0: none */
	uint64_t number_ticks; /* when it was taken: the stream's next packet is later */
	uint64_t number_lost; /* the stream's losses by then */
	uint32_t leaked; /* the last forced packet, which others may still follow; 0: none */
	bool forced; /* the packet's thread may still store into it, so it is never used again */
	bool unreported; /* no written packet is newer than the evicted ones */
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
	uint64_t close_before; /* ticks: open packets that began earlier are closed */
	uint64_t idle_before; /* ticks: open packets that have not grown since are closed */
	uint64_t keep_until; /* ticks: packets that began by then are not evicted */
	uint32_t missed; /* open packets from before the flush that it did not get */
	struct ctf_snapshot *snapshot; /* the snapshot that this pass writes; NULL: none */
	uint64_t taken; /* bytes written or evicted */
	bool discard; /* the sink is off: nothing is written, all packets are dropped */
	bool alone; /* only the caller's thread may be in an event */
	bool failed; /* the file takes no packets now */
	bool left; /* events are left in open packets */
};

#define foreach_ctf_cursor(c, s)                                    \
	for (struct cursor *c = (s)->cursors[WAYMARK_RECORDER_CTF]; \
		c < (s)->cursors[WAYMARK_RECORDER_CTF] + CURSOR_DEPTHS; c++)

/* Writes the cursor's closed packets; closes its open one if it is old, or its thread has ended. */
void waymark_ctf_cursor_pass(struct ctf_round *round, struct cursor *c);

/* Does only the second half: closes an old open packet. */
void waymark_ctf_cursor_close_old(struct ctf_round *round, struct cursor *c);

/* Requests that the open packet be closed, if it has events. */
void waymark_ctf_cursor_close(struct ctf_round *round, struct cursor *c);

/* Returns true if the open packet's closing was requested and is not done. */
bool waymark_ctf_cursor_is_closing(struct ctf_round *round, struct cursor *c);

/* Returns true if, in addition, that packet began before the pass. */
bool waymark_ctf_cursor_is_awaited(struct ctf_round *round, struct cursor *c);

/* Takes the open packet from a thread that is in an event and will not finish it. */
void waymark_ctf_cursor_force(struct ctf_round *round, struct cursor *c);

/*
 * Call if the thread has ended inside an event: takes everything for the consumer, in whatever
 * state it is.
 */
void waymark_ctf_cursor_leave(struct ctf_round *round, struct cursor *c);

/*
 * Takes the open packet; returns false if its closing was not requested, or if its thread is awake.
 */
bool waymark_ctf_cursor_take(struct buffer *b, struct cursor *c);

/*
 * Reports losses after the last packet, by a packet without events; does nothing if the thread is
 * awake.
 */
void waymark_ctf_cursor_report(struct ctf_round *round, struct cursor *c);

/*
 * Call when another trace begins, so that it does not report losses again that the former one
 * reported.
 */
void waymark_ctf_cursor_begin_trace(struct ctf_round *round, struct cursor *c);

/* Evicts the oldest packet, which must be closed, and counts its events. */
void waymark_ctf_cursor_evict(struct recorder *r, struct ctf_state *state, struct cursor *c);

/* Returns when the oldest packet began, in ticks; UINT64_MAX if none is closed. */
uint64_t waymark_ctf_cursor_age(struct buffer *b, struct cursor *c);

/* Notes whether the open packet has grown. */
void waymark_ctf_cursor_watch(struct ctf_round *round, struct cursor *c);

/*
 * Returns since when the open packet has not grown, in ticks, as far as that was watched;
 * UINT64_MAX if there is none, or if its thread is in an event.
 */
uint64_t waymark_ctf_cursor_idle_since(struct buffer *b, struct cursor *c);

/*
 * Returns true if no number is left that was taken for a packet without events. If the thread has
 * `left` an event, every number must also belong to a packet that was written or evicted. For a
 * thread that ended before it showed its packet, the consumer writes an empty one, which must
 * precede the next owner's packets.
 */
bool waymark_ctf_cursor_is_done(struct cursor *c, bool left);

/* Returns true if everything that the cursor has recorded is written. */
bool waymark_ctf_cursor_is_written(struct buffer *b, struct cursor *c);

#endif
