/* SPDX-License-Identifier: MIT */
/*
 * The producer's slow paths: a thread's first event, an event inside an event,
 * and the packet switch. Any thread and any signal handler come here, at any
 * instruction of each other, and a fork may happen at any of them. So: no lock,
 * no allocation but mmap, and nothing is believed at the end that a fork could
 * have taken away meanwhile (see opened_here()).
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "format/packet.h"
#include "rt/host/error.h"
#include "rt/record/process.h"
#include "rt/record/recorder.h"

#define BUFFER_DEFAULT (UINT64_C(256) << 20)
#define BUFFER_MIN (UINT64_C(1) << 20)
#define BUFFER_MAX (UINT64_C(64) << 30)

/* Ticks in 100 ms until the writer has measured them: a usual processor's. */
#define MOMENT_GUESS UINT64_C(250000000)

/* A packet that is this old is not continued: its 48-bit stamps must stay unique. */
#define PACKET_AGE_MAX (UINT64_C(1) << 45)

/* How long a flush waits for a writer that does not get on. */
#define FLUSH_PATIENCE_NS UINT64_C(10000000000)

/* Relaxed: read once, when the arena is made. */
static uint64_t buffer_bytes = BUFFER_DEFAULT;

/* Events lost before there was memory for the process block. Relaxed. */
static uint64_t lost_without_process;

/* The program may be somewhere else when the writer creates the default file. */
static void note_directory(struct arena *a)
{
	if (syscall(SYS_getcwd, a->directory, sizeof(a->directory)) < 0) {
		a->directory[0] = '\0';
	}
}

static struct arena *make_arena(struct process *p)
{
	struct arena *a = waymark_arena_create(__atomic_load_n(&buffer_bytes, __ATOMIC_RELAXED));
	struct arena *none = NULL;

	if (!a) {
		if (!__atomic_exchange_n(&p->no_memory, 1, __ATOMIC_RELAXED)) {
			waymark_notice(p, "no memory for a buffer: trace events are lost");
		}
		return NULL;
	}
	note_directory(a);
	if (!__atomic_compare_exchange_n(
		    &p->arena, &none, a, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		waymark_arena_destroy(a);
		return none;
	}
	/* Behind the publication: a fork in between inherits a copy that it does not use. */
	madvise(a, a->bytes, MADV_DONTFORK);
	if (!process_is_borrowed(p)) {
		waymark_crash_init();
	}
	return a;
}

static struct arena *get_arena(struct process *p)
{
	struct arena *a = process_arena(p);

	if (a || __atomic_load_n(&p->no_memory, __ATOMIC_RELAXED)) {
		return a;
	}
	return make_arena(p);
}

/* The size of the next chunk: larger for those who fill theirs quickly. */
static unsigned int next_class(struct process *p, struct arena *a, struct cursor *c, uint64_t now)
{
	const struct packet_header *h = (const void *)c->hot.packet;
	unsigned int size_class = a->chunks[c->chunk].size_class;
	uint64_t moment = __atomic_load_n(&p->moment, __ATOMIC_RELAXED);

	if (now - h->timestamp_begin < (moment ? moment : MOMENT_GUESS)) {
		return size_class < ARENA_LARGE ? size_class + 1 : size_class;
	}
	return size_class > ARENA_SMALL ? size_class - 1 : size_class;
}

/*
 * Writes an empty packet into a chunk. A leftover packet of the chunk's former
 * use must not be taken for this one: magic is gone first and back last.
 */
static void begin_packet(struct arena *a, uint32_t unit, const struct packet_header *as)
{
	struct packet_header *h = (void *)arena_at(a, unit);

	__atomic_store_n(&h->magic, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_RELEASE);
	memcpy(&h->uuid, &as->uuid, sizeof(*h) - offsetof(struct packet_header, uuid));
	__atomic_store_n(&h->magic, PACKET_MAGIC, __ATOMIC_RELEASE);
}

/* 0 in a vfork's child: the slot is its parent's, who lives on when this thread is gone. */
static uint32_t my_tid(struct process *p, struct slot *s)
{
	if (!s->tid && !process_is_borrowed(p)) {
		__atomic_store_n(&s->tid, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	}
	return s->tid;
}

/* Takes a chunk for the cursor's next packet and writes its header; 0: none is free. */
static uint32_t prepare(struct process *p, struct arena *a, struct cursor *c, uint64_t now)
{
	uint32_t unit = waymark_arena_take(a, c->chunk ? next_class(p, a, c, now) : ARENA_SMALL);

	if (!unit) {
		return 0;
	}
	struct packet_header h = {
		.stream_instance_id =
			c->chunk ? c->stream : __atomic_add_fetch(&p->streams, 1, __ATOMIC_RELAXED),
		.timestamp_begin = now,
		.timestamp_end = PACKET_OPEN,
		.content_size = sizeof(h) * 8,
		.packet_size = arena_chunk_bytes(a, unit) * 8,
		.sequence = c->sequence + 1,
		.events_discarded = __atomic_load_n(&c->lost, __ATOMIC_RELAXED),
		.tid = my_tid(p, waymark_slot_current()),
	};

	begin_packet(a, unit, &h);
	return unit;
}

/* Makes the packet the cursor's open one and shows it to the consumer. */
static void install(struct arena *a, struct cursor *c, uint32_t unit, uint64_t now)
{
	struct packet_header *h = (void *)arena_at(a, unit);
	uint32_t before = c->chunk;

	c->hot.pos = (char *)(h + 1);
	c->hot.content_size = &h->content_size;
	c->hot.cycles = waymark_clock_is_cycles();
	c->stream = h->stream_instance_id;
	c->sequence = h->sequence;
	c->chunk = unit;
	if (before) {
		((struct packet_header *)(void *)c->hot.packet)->timestamp_end = now;
	}
	c->hot.packet = (char *)h;
	__atomic_store_n(&c->hot.limit, (char *)h + arena_chunk_bytes(a, unit), __ATOMIC_RELAXED);
	__atomic_store_n(before ? &a->chunks[before].next : &c->first, unit, __ATOMIC_RELEASE);
}

/* A packet that the writer closed because it was quiet goes on where it was. */
static bool reopen(struct arena *a, struct cursor *c, size_t size, uint64_t now)
{
	const struct packet_header *h = (const void *)c->hot.packet;
	char *end = c->hot.packet + arena_chunk_bytes(a, c->chunk);

	/* A loss must be told by the next packet's header, so it cannot go on then. */
	if (end - c->hot.pos < (ptrdiff_t)size || now - h->timestamp_begin > PACKET_AGE_MAX ||
		h->events_discarded != __atomic_load_n(&c->lost, __ATOMIC_RELAXED)) {
		return false;
	}
	__atomic_store_n(&c->hot.limit, end, __ATOMIC_RELAXED);
	return true;
}

/*
 * False when a fork happened since the caller fetched the arena, from a handler
 * that interrupted it: then everything here is the parent's. A fork after this
 * look leaves a detached cursor behind, see process.c.
 */
static bool opened_here(struct process *p, struct arena *a, struct cursor *c)
{
	if (process_arena(p) == a) {
		return true;
	}
	memset(c, 0, sizeof(*c));
	__atomic_store_n(&c->hot.busy, 1, __ATOMIC_RELAXED);
	return false;
}

static bool switch_packet(struct process *p, struct arena *a, struct cursor *c, uint64_t now)
{
	uint32_t unit = prepare(p, a, c, now);

	if (!unit || !opened_here(p, a, c)) {
		return false;
	}
	install(a, c, unit, now);
	return true;
}

/* Gives the cursor room for `size` bytes. */
static bool refill(struct process *p, struct cursor *c, size_t size)
{
	for (;;) {
		struct arena *a = get_arena(p);
		uint64_t now = waymark_clock_ticks();

		if (!a) {
			return false;
		}
		bool room = (c->chunk && reopen(a, c, size, now)) || switch_packet(p, a, c, now);

		if (opened_here(p, a, c)) {
			return room;
		}
	}
}

/*
 * The writer is started by an event, so that a program that forks into the
 * background gets it in the right process. Not inside another event, and not in
 * what looks like a signal handler, unless a packet is full and there is no choice.
 */
static void want_writer(struct process *p, struct cursor *c)
{
	if (__atomic_load_n(&p->writer, __ATOMIC_RELAXED) != WRITER_NONE ||
		c != &waymark_slot_current()->depth[0] || process_is_borrowed(p)) {
		return;
	}
	if (c->sequence > 1 || !waymark_may_be_handler()) {
		waymark_writer_start();
	}
}

/* Counts an event as lost, in the cursor that had no room or, without one, at large. */
static void count_lost(struct process *p, struct cursor *c)
{
	uint64_t *where = c ? &c->lost : p ? &p->lost_unplaced : &lost_without_process;

	__atomic_fetch_add(where, 1, __ATOMIC_RELAXED);
}

struct waymark_cursor *waymark_cursor_nested(size_t size)
{
	int saved = errno;
	struct process *p = waymark_process();
	struct slot *s = p ? waymark_slot_mine() : NULL;

	(void)size;
	errno = saved;
	for (int d = 0; s && d < CURSOR_DEPTHS; d++) {
		if (!__atomic_load_n(&s->depth[d].hot.busy, __ATOMIC_RELAXED)) {
			return &s->depth[d].hot;
		}
	}
	count_lost(p, s ? &s->depth[CURSOR_DEPTHS - 1] : NULL);
	return NULL;
}

struct waymark_cursor *waymark_cursor_refill(struct waymark_cursor *hot, size_t size)
{
	int saved = errno;
	struct cursor *c = (struct cursor *)(void *)hot;
	struct process *p = waymark_process();
	bool room = size <= ARENA_UNIT - sizeof(struct packet_header) && refill(p, c, size);

	if (room) {
		want_writer(p, c);
	} else {
		/* Later events, smaller ones too, must not go before the gap. */
		__atomic_store_n(&c->hot.limit, NULL, __ATOMIC_RELAXED);
		count_lost(p, c);
		__atomic_store_n(&c->hot.busy, 0, __ATOMIC_RELAXED);
	}
	waymark_doorbell();
	if (UNLIKELY(__atomic_load_n(&p->notice_state, __ATOMIC_RELAXED) == NOTICE_READY)) {
		waymark_notice_say(p);
	}
	errno = saved;
	return room ? hot : NULL;
}

int waymark_recorder_set_buffer(uint64_t bytes, struct waymark_error *error)
{
	struct process *p = waymark_process_current();

	if (p && process_arena(p)) {
		return waymark_fail(error, "the buffer's size cannot change any more: "
					   "events have been recorded");
	}
	if (bytes < BUFFER_MIN || bytes > BUFFER_MAX) {
		return waymark_fail(error, "a buffer must have 1 MiB to 64 GiB");
	}
	__atomic_store_n(&buffer_bytes, bytes, __ATOMIC_RELAXED);
	error_clear(error);
	return 0;
}

int waymark_recorder_flush(void)
{
	struct process *p = waymark_process_current();

	if (!p || !process_arena(p)) {
		return 0;
	}
	uint64_t unwritten = __atomic_load_n(&p->drain.out.unwritten, __ATOMIC_RELAXED);

	if (!waymark_writer_flush(p, FLUSH_PATIENCE_NS, UINT64_MAX)) {
		errno = ETIMEDOUT;
		return -1;
	}
	if (__atomic_load_n(&p->drain.out.unwritten, __ATOMIC_RELAXED) == unwritten) {
		return 0;
	}
	errno = __atomic_load_n(&p->drain.out.error, __ATOMIC_RELAXED);
	if (!errno) {
		errno = EIO;
	}
	return -1;
}

void waymark_recorder_get_stats(struct waymark_recorder_stats *stats)
{
	struct process *p = waymark_process_current();

	memset(stats, 0, sizeof(*stats));
	stats->lost = __atomic_load_n(&lost_without_process, __ATOMIC_RELAXED);
	if (p) {
		stats->recorded = __atomic_load_n(&p->drain.out.recorded, __ATOMIC_RELAXED);
		stats->unwritten = __atomic_load_n(&p->drain.out.unwritten, __ATOMIC_RELAXED);
		stats->lost += waymark_drain_count_lost(p);
	}
}
