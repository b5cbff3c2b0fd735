/* SPDX-License-Identifier: MIT */
/*
 * Records the runtime's own events (rt/event/own.h) in the trace of backend ctf, and prints them on
 * text backends. Called by threads that decide about a call, inside their slots, in any context.
 */
#ifndef RT_SITE_REPORT_H
#define RT_SITE_REPORT_H

#include <waymark/record.h>

#include "format/packet.h"
#include "rt/event/own.h"

/*
 * A record whose numbers grow while its packet is open. The thread stores into it marked busy, as
 * into a new record, so the consumer does not take the packet meanwhile.
 */
struct growing {
	waymark_count *numbers; /* its first arguments; NULL: no record */
	uint64_t sequence; /* of the packet */
};

/*
 * Returns true, and marks the thread busy, if the record's packet is the thread's open one; end
 * with growing_end(). Returns false also inside of another event.
 */
static inline bool growing_begin(const struct growing *g)
{
	struct waymark_cursor *c = waymark_cursors[WAYMARK_RECORDER_CTF];

	if (!g->numbers || c->busy) {
		return false;
	}
	__atomic_store_n(&c->busy, 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	const struct packet_header *h = (const void *)c->packet;

	if (__atomic_load_n(&c->limit, __ATOMIC_RELAXED) && h->sequence == g->sequence &&
		(uintptr_t)g->numbers - (uintptr_t)h < PACKET_BYTES_MAX) {
		return true;
	}
	__atomic_store_n(&c->busy, 0, __ATOMIC_RELEASE);
	return false;
}

static inline void growing_add(const struct growing *g, size_t number, uint64_t more)
{
	__atomic_store_n(&g->numbers[number], g->numbers[number] + more, __ATOMIC_RELAXED);
}

static inline void growing_end(void)
{
	__atomic_store_n(&waymark_cursors[WAYMARK_RECORDER_CTF]->busy, 0, __ATOMIC_RELEASE);
}

/*
 * Begins a record of an event that is none of the program's: without memory it is not counted as
 * lost, and this returns false.
 */
bool waymark_report_begin(struct waymark_record *r, const struct waymark_event *event, size_t size);

/*
 * Records `waymark:left_out`, whose number may grow. Returns false if there was no memory, or the
 * thread is inside of another event.
 */
bool waymark_report_left_out(
	struct growing *g, uint64_t calls, const char *event, const char *limits);

/* Records `waymark:trigger` and `waymark:mark`. */
void waymark_report_trigger(const char *trigger, const char *event);
void waymark_report_mark(const char *text);

/* Prints a line on each text backend of `on`. */
void waymark_report_print(unsigned int on, const struct waymark_event *event, const char *fmt, ...)
	WAYMARK_PRINTF(3, 4);

#endif
