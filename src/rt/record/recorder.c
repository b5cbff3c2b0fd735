/* SPDX-License-Identifier: MIT */
/*
 * The producer's slow paths: a thread's first event, an event inside an event, and the packet
 * switch. Any thread and any signal handler may run this code, interrupting each other at any
 * instruction, and a fork may happen at any of them. So there is no lock and no allocation except
 * mmap, and at the end the code checks everything that a fork could have wiped meanwhile (see
 * opened_here()). Also has the string limit, which the inline code calls.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "format/packet.h"
#include "rt/host/error.h"
#include "rt/host/guard.h"
#include "rt/record/close.h"
#include "rt/record/cursor.h"
#include "rt/record/drain.h"
#include "rt/record/jail.h"
#include "rt/record/process.h"
#include "rt/record/recorder.h"
#include "rt/record/room.h"
#include "rt/record/seal.h"
#include "rt/record/stats.h"

/*
 * Keys with a lower number have their values in the thread. For values of later keys the C library
 * may allocate, which a signal handler must not do.
 */
#define KEYS_IN_THREAD 32u

/* Set by a constructor. */
static pthread_key_t exit_key;
static uint32_t exit_key_valid;

/* Relaxed: set before the first event. UINT32_MAX: as long as a record allows. */
static uint32_t string_bytes = UINT32_MAX;

/* A packet that is this old is not continued: its 48-bit stamps must stay unique. */
#define PACKET_AGE_MAX (UINT64_C(1) << 45)

int waymark_recorder_set_string(uint64_t bytes, struct waymark_error *error)
{
	if (waymark_process_refuse_late("the longest string", error)) {
		return -1;
	}
	if (bytes < RECORDER_STRING_MIN || bytes > RECORDER_STRING_MAX) {
		return waymark_fail(error, "a string may have 8 bytes to 16 KiB");
	}
	__atomic_store_n(&string_bytes, (uint32_t)bytes, __ATOMIC_RELAXED);
	error_clear(error);
	return 0;
}

uint32_t waymark_string_max(uint32_t max)
{
	uint32_t set = __atomic_load_n(&string_bytes, __ATOMIC_RELAXED);

	return set < max ? set : max;
}

/* The value for a cursor's `cycles`. */
static uint32_t cursor_cycles(void)
{
	if (!waymark_clock_is_cycles()) {
		return 0;
	}
	return __atomic_load_n(&string_bytes, __ATOMIC_RELAXED) == UINT32_MAX
		       ? WAYMARK_CYCLES
		       : WAYMARK_CYCLES_SLOWLY;
}

/*
 * True if the packet is at least half full, which one closed early by a flush or its age need not
 * be.
 */
static bool is_half_full(struct buffer *b, const struct cursor *c)
{
	return (size_t)(c->hot.pos - c->hot.packet) >= subbuf_bytes(b, c->subbuf) / 2;
}

/*
 * Returns the size of the next sub-buffer: larger for threads that fill theirs quickly. A packet
 * that was closed half empty shows no such speed, least of all if it belongs to an ended thread
 * that had this slot before.
 */
static unsigned int next_class(struct process *p, struct buffer *b, struct cursor *c, uint64_t now)
{
	const struct packet_header *h = (const void *)c->hot.packet;
	unsigned int size_class = b->subbufs[c->subbuf].size_class;

	if (!is_half_full(b, c)) {
		return size_class > BUFFER_SMALL ? size_class - 1 : size_class;
	}
	if (now - h->timestamp_begin < process_moment(p)) {
		return size_class < BUFFER_LARGE ? size_class + 1 : size_class;
	}
	return size_class > BUFFER_SMALL ? size_class - 1 : size_class;
}

/*
 * Writes an empty packet into a sub-buffer. A reader must not mistake a packet from the
 * sub-buffer's former use for this one, so magic is cleared first and set last.
 */
static void begin_packet(struct buffer *b, uint32_t unit, const struct packet_header *as)
{
	struct packet_header *h = (void *)buffer_at(b, unit);

	__atomic_store_n(&h->magic, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_RELEASE);
	memcpy(&h->uuid, &as->uuid, sizeof(*h) - offsetof(struct packet_header, uuid));
	__atomic_store_n(&h->magic, PACKET_MAGIC, __ATOMIC_RELEASE);
}

/*
 * Returns the thread's id, which also becomes the slot's; 0 in a vfork's child, because the slot
 * belongs to its parent, which outlives this thread.
 */
static uint32_t my_tid(struct process *p, struct slot *s)
{
	if (!slot_tid(s) && !process_is_borrowed(p)) {
		__atomic_fetch_or(&s->owner, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
		s->cursors[0][0].hot.tid = slot_tid(s);
	}
	return slot_tid(s);
}

/*
 * Takes a sub-buffer for the cursor's next packet, with room for `size` bytes, and writes its
 * header. Returns 0 if none is free; then the loss still has a stream to which it belongs.
 */
static uint32_t prepare(
	struct process *p, struct buffer *b, struct cursor *c, size_t size, uint64_t now)
{
	uint64_t stream = buffer_stream_id(b, &c->stream);
	unsigned int size_class = c->subbuf ? next_class(p, b, c, now) : BUFFER_SMALL;
	uint32_t unit = waymark_buffer_take(b, size_class, sizeof(struct packet_header) + size);

	if (!unit) {
		return 0;
	}
	struct packet_header h = {
		.stream_instance_id = stream,
		.timestamp_begin = now,
		.timestamp_end = PACKET_OPEN,
		.content_size = sizeof(h) * 8,
		.packet_size = subbuf_bytes(b, unit) * 8,
		.sequence = __atomic_load_n(&c->sequence, __ATOMIC_RELAXED) + 1,
		.events_discarded = __atomic_load_n(&c->lost, __ATOMIC_RELAXED),
		.tid = my_tid(p, waymark_slot_current()),
	};

	memcpy(h.uuid, b->file.uuid, sizeof(h.uuid));
	begin_packet(b, unit, &h);
	return unit;
}

/* Makes the packet the cursor's open one and shows it to the consumer. */
static void install(struct buffer *b, struct cursor *c, uint32_t unit, uint64_t now)
{
	struct packet_header *h = (void *)buffer_at(b, unit);
	uint32_t before = c->subbuf;

	waymark_tally_begin(c);
	__atomic_store_n(&c->hot.pos, (char *)(h + 1), __ATOMIC_RELEASE);
	c->hot.content_size = &h->content_size;
	c->hot.cycles = cursor_cycles();
	/*
	 * Atomic, because the consumer may report losses in its own packet: no two packets have the
	 * same number. The losses are read afterwards, so they are not less than in that packet.
	 */
	h->sequence = __atomic_add_fetch(&c->sequence, 1, __ATOMIC_SEQ_CST);
	h->events_discarded = __atomic_load_n(&c->lost, __ATOMIC_RELAXED);
	c->subbuf = unit;
	if (before) {
		((struct packet_header *)(void *)c->hot.packet)->timestamp_end = now;
	}
	__atomic_store_n(&c->hot.packet, (char *)h, __ATOMIC_RELEASE);
	waymark_tally_end(c);
	__atomic_store_n(&c->close, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&c->hot.limit, (char *)h + subbuf_filled(b, unit), __ATOMIC_RELAXED);
	/* In a jail the drain searches the buffer and uses no list. */
	if (before || !b->file.jail.on) {
		__atomic_store_n(
			before ? &b->subbufs[before].next : &c->first, unit, __ATOMIC_RELEASE);
	}
}

/*
 * Continues a packet whose limit was taken away, or whose memory is used up while its sub-buffer
 * has more, if that is allowed.
 */
static bool reopen(struct buffer *b, struct cursor *c, size_t size, uint64_t now)
{
	const struct packet_header *h = (const void *)c->hot.packet;
	size_t bytes = (size_t)(c->hot.pos - c->hot.packet) + size;

	/*
	 * After a loss this packet cannot continue, because the next packet's header reports the
	 * loss.
	 */
	if (__atomic_load_n(&c->close, __ATOMIC_RELAXED) || bytes > subbuf_bytes(b, c->subbuf) ||
		now - h->timestamp_begin > PACKET_AGE_MAX ||
		h->events_discarded != __atomic_load_n(&c->lost, __ATOMIC_RELAXED) ||
		!waymark_buffer_fill(b, c->subbuf, bytes)) {
		return false;
	}
	__atomic_store_n(
		&c->hot.limit, c->hot.packet + subbuf_filled(b, c->subbuf), __ATOMIC_RELAXED);
	return true;
}

/*
 * Returns false if a signal handler that interrupted the caller has forked since the buffer was
 * fetched: then everything here belongs to the parent. A fork after this check leaves a detached
 * cursor, see process.c.
 */
static bool opened_here(struct recorder *r, struct buffer *b, struct cursor *c)
{
	if (recorder_buffer(r) == b) {
		return true;
	}
	memset(c, 0, sizeof(*c));
	__atomic_store_n(&c->hot.busy, 1, __ATOMIC_RELAXED);
	return false;
}

static bool switch_packet(
	struct process *p, struct recorder *r, struct buffer *b, struct cursor *c, size_t size)
{
	uint64_t now = waymark_clock_ticks();
	uint32_t unit = prepare(p, b, c, size, now);

	if (!unit || !opened_here(r, b, c)) {
		return false;
	}
	install(b, c, unit, now);
	return true;
}

/*
 * Call if there is no sub-buffer for the next packet. Hands the full one over all the same, because
 * otherwise threads that hold one each would wait for each other. Does nothing until the consumer
 * has found the packet shown to it last.
 */
static void hand_over(struct buffer *b, struct cursor *c)
{
	struct packet_header *h = (void *)c->hot.packet;

	if (!c->subbuf || __atomic_load_n(&c->first, __ATOMIC_ACQUIRE) ||
		h->content_size == sizeof(*h) * 8) {
		return;
	}
	uint32_t subbuf = c->subbuf;

	h->timestamp_end = waymark_clock_ticks();
	c->subbuf = 0;
	__atomic_store_n(&b->subbufs[subbuf].next, CURSOR_HANDED_OVER, __ATOMIC_RELEASE);
}

/* Gives the cursor room for `size` bytes. */
static bool refill(struct process *p, struct recorder *r, struct cursor *c, size_t size)
{
	for (;;) {
		struct buffer *b = waymark_buffer_get(p, r);

		if (!b) {
			return false;
		}
		if (b->file.jail.on) {
			recorder_consumer(p, r)->declare(b);
		}
		waymark_close_claim(c);
		bool room = (c->subbuf && reopen(b, c, size, waymark_clock_ticks())) ||
			    switch_packet(p, r, b, c, size);

		if (opened_here(r, b, c)) {
			if (!room) {
				hand_over(b, c);
			}
			return room;
		}
	}
}

/*
 * True if the packet ends because it is full. The number of packets does not show that: the thread
 * may have a former thread's slot, and a flush closes packets with one event.
 */
static bool is_full(struct recorder *r, const struct cursor *c)
{
	struct buffer *b = recorder_buffer(r);

	return b && c->subbuf && !__atomic_load_n(&c->close, __ATOMIC_RELAXED) &&
	       is_half_full(b, c);
}

/* True if the cursor's event interrupts no other event of its recorder. */
static bool is_outermost(const struct cursor *c)
{
	const struct slot *s = waymark_slot_current();

	return (c - &s->cursors[0][0]) % CURSOR_DEPTHS == 0;
}

/*
 * Starts the writer. This is done by an event, so that a program that forks into the background
 * gets the writer in the right process. It is not done inside another event, nor in what looks like
 * a signal handler unless it `must` be: a packet was full, or memory is full.
 */
static void want_writer(struct process *p, const struct cursor *c, bool must)
{
	if (__atomic_load_n(&p->writer, __ATOMIC_RELAXED) != WRITER_NONE || waymark_jail_is_on() ||
		!is_outermost(c) || process_is_borrowed(p)) {
		return;
	}
	if (must || !waymark_may_be_handler()) {
		waymark_writer_start();
	}
}

/* Stores the count for other processes. A signal handler may store a higher count meanwhile. */
static void show_lost(struct buffer_stream *shown, uint64_t lost)
{
	uint64_t before = __atomic_load_n(&shown->lost, __ATOMIC_RELAXED);

	while (before < lost && !__atomic_compare_exchange_n(&shown->lost, &before, lost, true,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
	}
}

/*
 * Counts an event as lost, in the cursor that had no room or, if there is no cursor, in the
 * recorder.
 */
static void count_lost(struct recorder *r, struct cursor *c, uint32_t id)
{
	if (id == RECORD_UNCOUNTED) {
		return;
	}
	waymark_counts_lose(id);
	if (!r) {
		waymark_stats_lose_early();
		return;
	}
	__atomic_fetch_add(&r->lost, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(c ? &c->lost : &r->lost_unplaced, 1, __ATOMIC_RELAXED);

	struct buffer *b = recorder_buffer(r);
	struct buffer_stream *shown = b && c && c->stream ? buffer_stream(b, c->stream) : NULL;

	if (shown) {
		show_lost(shown, __atomic_load_n(&c->lost, __ATOMIC_RELAXED));
	}
}

void waymark_recorder_lose(enum waymark_recorder recorder, uint32_t id)
{
	struct process *p = waymark_process();

	count_lost(p ? &p->recorders[recorder] : NULL, NULL, id);
}

/*
 * In a jail a thread that ends hands its packets over itself, because no consumer takes them from
 * it.
 */
static void hand_over_all(struct slot *s)
{
	struct process *p = waymark_process_current();

	for (int k = 0; p && k < WAYMARK_RECORDERS; k++) {
		struct buffer *b = recorder_buffer(&p->recorders[k]);

		for (int d = 0; b && b->file.jail.on && d < CURSOR_DEPTHS; d++) {
			struct cursor *c = &s->cursors[k][d];

			if (!__atomic_load_n(&c->hot.busy, __ATOMIC_RELAXED)) {
				hand_over(b, c);
			}
		}
	}
}

/*
 * Called when the thread ends. Events that it still records, in later destructors or in signal
 * handlers, get another slot, for which this function is called in the next round.
 */
static ALIGNS_STACK void thread_exit(void *slot)
{
	struct slot *s = slot;

	if (waymark_slot_current() == s) {
		waymark_slot_let_go();
	}
	hand_over_all(s);
	waymark_slot_leave(s, __atomic_load_n(&s->owner, __ATOMIC_RELAXED));
}

__attribute__((constructor(101))) static void make_exit_key(void)
{
	exit_key_valid = pthread_key_create(&exit_key, thread_exit) == 0;
}

struct slot *waymark_recorder_slot(void)
{
	struct slot *s = waymark_slot_current();

	if (s) {
		return s;
	}
	s = waymark_slot_claim();
	/* If a thread without a value ends, the writer finds that out when the program is quiet. */
	if (s && exit_key_valid && (exit_key < KEYS_IN_THREAD || !waymark_may_be_handler())) {
		pthread_setspecific(exit_key, s);
	}
	return s;
}

struct waymark_cursor *waymark_cursor_nested(enum waymark_recorder recorder, uint32_t id)
{
	int saved = errno;
	struct process *p = waymark_process();
	struct slot *s = p ? waymark_recorder_slot() : NULL;

	if (s) {
		my_tid(p, s); /* so that losses are counted as this thread's, too */
	}
	errno = saved;
	for (int d = 0; s && d < CURSOR_DEPTHS; d++) {
		if (!__atomic_load_n(&s->cursors[recorder][d].hot.busy, __ATOMIC_RELAXED)) {
			return &s->cursors[recorder][d].hot;
		}
	}
	count_lost(p ? &p->recorders[recorder] : NULL,
		s ? &s->cursors[recorder][CURSOR_DEPTHS - 1] : NULL, id);
	return NULL;
}

/*
 * Rings the doorbell only if it must, because waking a thread costs 2 to 40 us: if the limit was
 * taken away, so that the writer may sleep without a timeout, and if memory is filling up.
 */
struct waymark_cursor *waymark_cursor_refill(
	enum waymark_recorder recorder, struct waymark_cursor *hot, size_t size, uint32_t id)
{
	int saved = errno;
	struct cancel cancel;

	/* A thread that is cancelled at any instruction must not leave a packet half made. */
	waymark_cancel_off(&cancel);
	struct cursor *c = (struct cursor *)(void *)hot;
	struct process *p = waymark_process();
	struct recorder *r = &p->recorders[recorder];
	bool fits = size <= BUFFER_UNIT - sizeof(struct packet_header);
	bool full = is_full(r, c);
	bool room = false;
	bool rings = !__atomic_load_n(&hot->limit, __ATOMIC_RELAXED);
	struct room_wait wait = { 0 };

	do {
		waymark_seal_wait(p, r, c); /* each time: the end of the process makes room, too */
		wait.turn = __atomic_load_n(recorder_room(r), __ATOMIC_ACQUIRE);
		room = fits && refill(p, r, c, size);
		if (!room) {
			want_writer(p, c, true); /* memory may be full before the writer began */
		}
	} while (fits && !room && waymark_make_room(p, r, &wait));
	if (room) {
		want_writer(p, c, full);
	} else {
		/* No later event, even a smaller one, may be recorded before the gap. */
		__atomic_store_n(&c->hot.limit, NULL, __ATOMIC_RELAXED);
		count_lost(r, c, id);
		__atomic_store_n(&c->hot.busy, 0, __ATOMIC_RELEASE);
	}
	if (rings || !room || waymark_is_filling(p, r)) {
		waymark_doorbell();
	}
	if (UNLIKELY(__atomic_load_n(&p->notices_wait, __ATOMIC_RELAXED))) {
		waymark_notice_say(p);
	}
	waymark_cancel_back(&cancel);
	errno = saved;
	return room ? hot : NULL;
}
