/* SPDX-License-Identifier: MIT */
/*
 * Standing packets: see standing.h. A packet's cursor is busy while a thread adds a record, and
 * another thread, or a signal handler, uses the next packet meanwhile. So there are a few packets
 * that are not full, at most about as many as threads add records at one moment.
 */
#include <errno.h>
#include <string.h>

#include "base/compiler.h"
#include "rt/host/guard.h"
#include "rt/record/clock.h"
#include "rt/record/recorder.h"
#include "rt/record/room.h"
#include "rt/record/standing.h"

static bool lock(struct standing *s)
{
	uint32_t none = 0;

	return __atomic_compare_exchange_n(
		&s->cursor.busy, &none, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void unlock(struct standing *s)
{
	__atomic_store_n(&s->cursor.busy, 0, __ATOMIC_RELEASE);
}

/* The first packets are small: few programs need more. */
#define SMALL_PACKETS 4

/* How long no thread waits for memory again after there was none. */
#define PAUSE_NS UINT64_C(100000000)

/* Takes a sub-buffer for good. Returns 0 if there is none. */
static uint32_t take(struct process *p, struct recorder *r, struct buffer *b, unsigned int wanted)
{
	struct room_wait wait = { 0 };
	uint32_t unit;

	if (waymark_clock_ns() < __atomic_load_n(&p->standing_ns, __ATOMIC_RELAXED)) {
		return 0;
	}
	do {
		wait.turn = __atomic_load_n(recorder_room(r), __ATOMIC_ACQUIRE);
		unit = waymark_buffer_take(b, wanted, BUFFER_PAGE);
	} while (!unit && waymark_make_room(p, r, &wait));
	if (!unit) {
		__atomic_store_n(&p->standing_ns, waymark_clock_ns() + PAUSE_NS, __ATOMIC_RELAXED);
		return 0;
	}
	/* Nothing frees it, so full=block must not wait for it. */
	__atomic_fetch_sub(
		&b->used, buffer_class_units(b->subbufs[unit].size_class), __ATOMIC_RELAXED);
	return unit;
}

static void begin_packet(struct buffer *b, struct standing *s)
{
	struct packet_header *h = (void *)buffer_at(b, s->unit);

	__atomic_store_n(&h->magic, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_RELEASE);
	*h = (struct packet_header){
		.stream_instance_id = buffer_stream_id(b, &s->stream),
		.timestamp_begin = waymark_clock_ticks(),
		.timestamp_end = PACKET_OPEN,
		.content_size = sizeof(*h) * 8,
		.packet_size = subbuf_bytes(b, s->unit) * 8,
		.sequence = 1,
	};
	memcpy(h->uuid, b->file.uuid, sizeof(h->uuid));
	__atomic_store_n(&h->magic, PACKET_MAGIC, __ATOMIC_RELEASE);
	/* Not as a whole: `busy` must not be 0 for a moment. */
	s->cursor.pos = (char *)(h + 1);
	s->cursor.limit = (char *)h + subbuf_filled(b, s->unit);
	s->cursor.content_size = &h->content_size;
	s->cursor.packet = (char *)h;
	s->cursor.cycles = waymark_clock_is_cycles() ? WAYMARK_CYCLES : 0;
}

/* Makes room for `size` bytes. Returns false if the packet is full, or there is no memory. */
static bool extend(struct process *p, struct standing *s, size_t size, unsigned int wanted)
{
	struct recorder *r = &p->recorders[WAYMARK_RECORDER_CTF];
	struct buffer *b = waymark_buffer_get(p, r);

	if (!b) {
		return false;
	}
	if (!s->unit) {
		__atomic_store_n(&s->unit, take(p, r, b, wanted), __ATOMIC_RELAXED);
		if (!s->unit) {
			return false;
		}
		begin_packet(b, s);
	}
	size_t bytes = (size_t)(s->cursor.pos - s->cursor.packet) + size;

	if (bytes > subbuf_bytes(b, s->unit) || !waymark_buffer_fill(b, s->unit, bytes)) {
		return false;
	}
	s->cursor.limit = s->cursor.packet + subbuf_filled(b, s->unit);
	return true;
}

/*
 * Returns a packet with room, marked busy; NULL: none. `may_take`: also one that is not used yet.
 */
static struct standing *find_in(struct process *p, size_t size, bool may_take)
{
	unsigned int full = 0;

	for (struct standing *s = p->standing; s < p->standing + STANDING_MAX; s++) {
		if ((!may_take && !__atomic_load_n(&s->unit, __ATOMIC_RELAXED)) || !lock(s)) {
			continue;
		}
		if (waymark_cursor_has_room(&s->cursor, size) ||
			((s->unit || may_take) &&
				extend(p, s, size,
					full < SMALL_PACKETS ? BUFFER_SMALL : BUFFER_LARGE))) {
			return s;
		}
		full += s->unit != 0;
		may_take &= s->unit != 0; /* no memory; but a later packet may have room */
		unlock(s);
	}
	return NULL;
}

static struct standing *find(struct process *p, size_t size)
{
	struct standing *s = find_in(p, size, false);

	return s ? s : find_in(p, size, true);
}

bool waymark_standing_begin(
	struct waymark_record *r, const struct waymark_event *event, size_t size)
{
	int saved = errno;
	struct cancel cancel;
	struct process *p = waymark_process();

	waymark_cancel_off(&cancel);
	struct standing *s = p ? find(p, size + WAYMARK_RECORD_OVERHEAD) : NULL;

	waymark_cancel_back(&cancel);
	errno = saved;
	if (!s) {
		return false;
	}
	clock_after_loads(); /* the time is not that of before the lock was taken */
	waymark_record_header(r, &s->cursor, event, waymark_clock(&s->cursor));
	return true;
}

struct packet_header *waymark_standing_next(const struct process *p, uint32_t *index)
{
	while (*index < STANDING_MAX) {
		const struct standing *s = &p->standing[(*index)++];

		if (__atomic_load_n(&s->cursor.count, __ATOMIC_ACQUIRE)) {
			return (void *)s->cursor.packet;
		}
	}
	return NULL;
}
