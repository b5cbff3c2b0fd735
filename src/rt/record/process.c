/* SPDX-License-Identifier: MIT */
/*
 * The process block, its handling around forks, and messages of the writer.
 *
 * A fork wipes the block together with the cursors; the handlers here serve one case only: a fork
 * from a signal handler that interrupted an event of the same thread. The child then finishes that
 * event, which is the parent's, into memory of its own that is never read.
 *
 * The writer has its own table of descriptors, in which a copy of standard error would keep the
 * other end of a pipe open. So the writer puts messages into the block, and the next thread of the
 * program that takes the slow path prints them.
 */
#include <pthread.h>
#include <stdarg.h>
#include <sys/mman.h>

#include "base/compiler.h"
#include "rt/host/error.h"
#include "rt/host/futex.h"
#include "rt/host/message.h"
#include "rt/record/process.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* Set by release, once; survives forks, while its pages are wiped. */
static struct process *process;

struct process *waymark_process_current(void)
{
	return __atomic_load_n(&process, __ATOMIC_ACQUIRE);
}

/*
 * Notes the process that owns the block, once, because a vfork's child must not become the owner.
 */
static void remember_pid(struct process *p)
{
	if (!__atomic_load_n(&p->pid, __ATOMIC_RELAXED)) {
		__atomic_store_n(&p->pid, (uint32_t)getpid(), __ATOMIC_RELAXED);
	}
}

struct process *waymark_process(void)
{
	struct process *p = waymark_process_current();
	struct process *none = NULL;

	if (p) {
		remember_pid(p); /* a fork without the C library's hooks has wiped it */
		return p;
	}
	p = waymark_wiped_map(sizeof(*p));
	if (p && !__atomic_compare_exchange_n(
			 &process, &none, p, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		waymark_wiped_unmap(p, sizeof(*p));
		p = none;
	}
	if (p) {
		remember_pid(p);
	}
	return p;
}

int waymark_process_refuse_late(const char *what, struct waymark_error *error)
{
	struct process *p = waymark_process_current();

	if (!p || !process_has_recorded(p)) {
		return 0;
	}
	return waymark_fail(error, "%s cannot change any more: events have been recorded", what);
}

void waymark_doorbell(void)
{
	struct process *p = waymark_process_current();

	/* Sequentially consistent: pairs with listen() of writer.c. */
	if (p && __atomic_exchange_n(&p->doorbell, 0, __ATOMIC_SEQ_CST)) {
		futex_wake(&p->doorbell);
	}
}

bool waymark_drain_trylock(struct process *p)
{
	uint32_t free = 0;

	return __atomic_compare_exchange_n(
		&p->drain_lock, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void waymark_drain_unlock(struct process *p)
{
	__atomic_store_n(&p->drain_lock, 0, __ATOMIC_RELEASE);
}

/* The forking thread's copy of the pages that are wiped. */
static __thread struct fork_state {
	struct buffer *buffer;
	uint64_t bytes;
	bool busy[CURSOR_DEPTHS];
	bool deciding; /* the thread may store into standing packets */
} forking[WAYMARK_RECORDERS] __attribute__((tls_model("initial-exec")));

static void before_fork(void)
{
	struct process *p = waymark_process_current();
	struct slot *s = waymark_slot_current();

	for (int k = 0; k < WAYMARK_RECORDERS; k++) {
		struct fork_state *f = &forking[k];

		f->buffer = p ? recorder_buffer(&p->recorders[k]) : NULL;
		f->bytes = f->buffer ? f->buffer->file.bytes : 0;
		f->deciding = s && s->evaluating & 1;
		for (int d = 0; d < CURSOR_DEPTHS; d++) {
			f->busy[d] =
				s && __atomic_load_n(&s->cursors[k][d].hot.busy, __ATOMIC_RELAXED);
		}
	}
}

/*
 * Lets an interrupted event end harmlessly: maps its packet's addresses again, keeps its cursor
 * busy until the event ends, and leaves the cursor no room afterwards.
 */
static void detach(struct cursor *cut, void *scratch)
{
	static waymark_count nowhere; /* any thread may store into it; never read */
	struct waymark_cursor *c = &cut->hot;

	c->pos = scratch;
	c->packet = scratch;
	c->content_size = &nowhere;
	cut->cut_off = 1;
	__atomic_store_n(&c->busy, 1, __ATOMIC_RELAXED);
}

static void *scratch_map(void *at, size_t bytes, int flags)
{
	return mmap(at, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

static void detach_interrupted(const struct fork_state *f, struct cursor *cursors)
{
	bool interrupted = f->deciding;

	for (int d = 0; d < CURSOR_DEPTHS; d++) {
		interrupted |= f->busy[d];
	}
	if (!interrupted || !f->buffer) {
		return;
	}
	void *scratch = scratch_map(f->buffer, f->bytes, MAP_FIXED_NOREPLACE);

	if (scratch == MAP_FAILED) { /* inherited after all: the parent's, do not use it */
		scratch = scratch_map(NULL, 2 * WAYMARK_RECORD_MAX, 0);
	}
	for (int d = 0; d < CURSOR_DEPTHS; d++) {
		if (f->busy[d]) {
			detach(&cursors[d], scratch);
		}
	}
}

static void in_child(void)
{
	struct slot *s = waymark_slot_current();

	/*
	 * Unmaps the parent's buffers if the kernel passes them on against advice: the mapping
	 * would keep their lock, and their addresses may be needed. Not otherwise, because other
	 * fork handlers run before this one and may have mapped something there.
	 */
	bool inherited = waymark_wiped_renew();

	for (int k = 0; inherited && k < WAYMARK_RECORDERS; k++) {
		if (forking[k].buffer) {
			munmap(forking[k].buffer, forking[k].bytes);
		}
	}
	waymark_process();
	waymark_slot_keep_mine();
	for (int k = 0; s && k < WAYMARK_RECORDERS; k++) {
		detach_interrupted(&forking[k], s->cursors[k]);
	}
}

__attribute__((constructor(101))) static void watch_forks(void)
{
	waymark_process(); /* now, because the first event may be in a vfork's child */
	pthread_atfork(before_fork, NULL, in_child);
}

/* A thread that is interrupted while it has a place keeps it; other threads find other places. */
static bool claim(struct notice *n, uint32_t from)
{
	return __atomic_compare_exchange_n(
		&n->state, &from, NOTICE_FILLING, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static struct notice *find_place(struct process *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(p->notices); i++) {
		if (claim(&p->notices[i], NOTICE_NONE)) {
			return &p->notices[i];
		}
	}
	return NULL;
}

static void take_away(struct notice *n)
{
	__atomic_store_n(&n->state, NOTICE_NONE, __ATOMIC_RELEASE);
}

void waymark_notice(struct process *p, const char *fmt, ...)
{
	struct notice *n = find_place(p);
	struct line l;
	va_list ap;

	if (n) {
		line_init(&l, n->text, sizeof(n->text));
		va_start(ap, fmt);
		waymark_message_make(&l, fmt, ap);
		va_end(ap);
		n->length = (uint32_t)l.len;
		__atomic_store_n(&n->state, NOTICE_READY, __ATOMIC_RELEASE);
	} else {
		__atomic_add_fetch(&p->notices_lost, 1, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&p->notices_wait, 1, __ATOMIC_RELEASE);
}

/*
 * Prints the number of dropped messages. Uses a place for the text, because stacks of signal
 * handlers have no room.
 */
static void say_lost(struct process *p)
{
	struct notice *n = find_place(p);
	struct line l;

	if (!n) {
		__atomic_store_n(
			&p->notices_wait, 1, __ATOMIC_RELEASE); /* the next thread prints it */
		return;
	}
	uint32_t lost = __atomic_exchange_n(&p->notices_lost, 0, __ATOMIC_RELAXED);

	if (lost) { /* otherwise another thread was faster */
		line_init(&l, n->text, sizeof(n->text));
		waymark_line_put(
			&l, "waymark: %u more messages came too fast and were dropped", lost);
		waymark_line_end(&l);
		waymark_message_write(l.data, l.len);
	}
	take_away(n);
}

void waymark_notice_say(struct process *p)
{
	/* Cleared first, so that the next thread prints later notices, if this one does not. */
	if (!__atomic_exchange_n(&p->notices_wait, 0, __ATOMIC_ACQUIRE)) {
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(p->notices); i++) {
		struct notice *n = &p->notices[i];

		if (claim(n, NOTICE_READY)) {
			waymark_message_write(n->text, n->length);
			take_away(n);
		}
	}
	if (__atomic_load_n(&p->notices_lost, __ATOMIC_RELAXED)) {
		say_lost(p);
	}
}
