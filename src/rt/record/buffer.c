/* SPDX-License-Identifier: MIT */
/*
 * Sub-buffers: taken by producers, given back by consumers, populated and trimmed by the writer.
 * Memory order: a sub-buffer's bytes and its size_class are published by the release of the push
 * that frees it and seen by the acquire of the pop that takes it. All units below `ready` that
 * `bump` has not passed yet have memory: a thread that acquires `ready`, and takes a fresh
 * sub-buffer afterwards, takes none that was passed when `ready` was stored.
 */
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "rt/record/buffer.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* What a small sub-buffer has at first: enough for the few events that most threads record. */
#define FIRST_BYTES (2 * BUFFER_PAGE)

/* How many units ahead of the bump pointer memory is made ready, once threads fill theirs. */
#define AHEAD_MIN 16u
#define AHEAD_MAX 64u

static uint32_t max(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

uint32_t waymark_buffer_first_bytes(void)
{
	unsigned long page = getauxval(AT_PAGESZ); /* the kernel gives whole pages */

	return page <= FIRST_BYTES ? FIRST_BYTES : page < BUFFER_UNIT ? page : BUFFER_UNIT;
}

static uint16_t first_missing(const struct buffer *b)
{
	return (uint16_t)((BUFFER_UNIT - b->first_bytes) / BUFFER_PAGE);
}

/* Frees a sub-buffer, which keeps its memory, unless it `is_cold`: then it has none. */
static void push(struct buffer *b, uint32_t unit, bool is_cold)
{
	const struct subbuf *s = &b->subbufs[unit];
	unsigned int heat = is_cold ? BUFFER_COLD : s->missing ? BUFFER_BEGUN : BUFFER_WARM;

	buffer_stack_push(&b->free[heat][s->size_class], b->subbufs, unit);
}

static uint32_t pop(struct buffer *b, struct buffer_stack *s)
{
	uint64_t top = __atomic_load_n(&s->top, __ATOMIC_ACQUIRE);

	while ((uint32_t)top) {
		uint32_t unit = (uint32_t)top;
		/* Another thread may use the sub-buffer by now; then the tag has changed. */
		uint32_t next = __atomic_load_n(&b->subbufs[unit].next, __ATOMIC_RELAXED);
		uint64_t without = ((top >> 32) + 1) << 32 | next;

		if (__atomic_compare_exchange_n(
			    &s->top, &top, without, true, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
			return unit;
		}
	}
	return 0;
}

/*
 * For kernels before 5.14: lets the kernel store into every page, so that a page that cannot be
 * allocated is an error, not a signal.
 */
static bool touch(char *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += BUFFER_PAGE) {
		if (syscall(SYS_clock_gettime, CLOCK_MONOTONIC, at + i)) {
			return false;
		}
	}
	return true;
}

/*
 * Gives memory to accessible addresses of a file that hold nothing. Returns false if there is not
 * enough, and gives back what there was.
 */
static bool populate(char *at, size_t bytes)
{
	if (madvise(at, bytes, MADV_POPULATE_WRITE) == 0 || (errno == EINVAL && touch(at, bytes))) {
		return true;
	}
	madvise(at, bytes, MADV_REMOVE);
	return false;
}

/*
 * Gives memory to a sub-buffer that has none: to its first `bytes` at least. Returns false if there
 * is none.
 */
static bool allocate(struct buffer *b, uint32_t unit, size_t bytes)
{
	struct subbuf *s = &b->subbufs[unit];
	char *at = buffer_at(b, unit);
	bool is_begun = s->size_class == BUFFER_SMALL && bytes <= b->first_bytes;

	if (mprotect(at, subbuf_bytes(b, unit), PROT_READ | PROT_WRITE)) {
		return false;
	}
	if (!b->is_file) {
		return true; /* allocated by the first store */
	}
	if (!populate(at, is_begun ? b->first_bytes : subbuf_bytes(b, unit))) {
		return false;
	}
	s->missing = is_begun ? first_missing(b) : 0;
	if (s->size_class == BUFFER_SMALL && !is_begun) {
		__atomic_fetch_add(&b->filled, 1, __ATOMIC_RELAXED);
	}
	return true;
}

/*
 * Takes a sub-buffer that was never used. *has_memory: whether it was made ready before. `ready` is
 * loaded first, because memory that is made ready meanwhile may begin after the sub-buffer.
 */
static uint32_t take_fresh(struct buffer *b, unsigned int size_class, bool *has_memory)
{
	uint32_t count = buffer_class_units(size_class);
	uint32_t whole = __atomic_load_n(&b->whole.ready, __ATOMIC_ACQUIRE);
	uint32_t begun = __atomic_load_n(&b->begun.ready, __ATOMIC_ACQUIRE);
	uint32_t unit = __atomic_load_n(&b->bump, __ATOMIC_RELAXED);

	do {
		if (b->units - unit < count) {
			return 0;
		}
	} while (!__atomic_compare_exchange_n(
		&b->bump, &unit, unit + count, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	bool is_whole = unit + count <= whole;
	bool is_begun = !is_whole && count == 1 && unit < begun;

	b->subbufs[unit].size_class = (uint16_t)size_class;
	b->subbufs[unit].missing = is_begun && b->is_file ? first_missing(b) : 0;
	if (count > 1) {
		__atomic_fetch_add(&b->filled, count, __ATOMIC_RELAXED);
	}
	*has_memory = is_whole || is_begun;
	return unit;
}

/* Returns the sub-buffer with memory for its first `bytes`; frees it, and returns 0, if not. */
static uint32_t with_memory(struct buffer *b, uint32_t unit, bool is_cold, size_t bytes)
{
	if (!unit || (is_cold ? allocate(b, unit, bytes) : waymark_buffer_fill(b, unit, bytes))) {
		return unit;
	}
	push(b, unit, is_cold);
	return 0;
}

static uint32_t take_class(struct buffer *b, unsigned int size_class, size_t bytes)
{
	uint32_t unit = pop(b, &b->free[BUFFER_WARM][size_class]);
	bool has_memory = false;

	if (!unit) {
		unit = with_memory(b, pop(b, &b->free[BUFFER_BEGUN][size_class]), false, bytes);
	}
	if (unit) {
		return unit;
	}
	unit = take_fresh(b, size_class, &has_memory);
	if (!unit) {
		unit = pop(b, &b->free[BUFFER_COLD][size_class]);
	}
	return with_memory(b, unit, !has_memory, bytes);
}

/* Cuts a sub-buffer down to `wanted` and frees the rest. */
static void split(struct buffer *b, uint32_t unit, unsigned int wanted)
{
	uint32_t count = buffer_class_units(wanted);
	uint32_t end = unit + buffer_class_units(b->subbufs[unit].size_class);

	b->subbufs[unit].size_class = (uint16_t)wanted;
	for (uint32_t rest = unit + count; rest < end; rest += count) {
		b->subbufs[rest].size_class = (uint16_t)wanted;
		b->subbufs[rest].missing = 0;
		push(b, rest, false);
	}
}

uint32_t waymark_buffer_take(struct buffer *b, unsigned int wanted, size_t bytes)
{
	uint32_t unit = 0;

	for (unsigned int k = wanted + 1; !unit && k-- > 0;) {
		unit = take_class(b, k, bytes);
	}
	for (unsigned int k = wanted + 1; !unit && k < BUFFER_CLASSES; k++) {
		unit = take_class(b, k, bytes);
		if (unit) {
			split(b, unit, wanted);
		}
	}
	if (unit) {
		__atomic_store_n(&b->subbufs[unit].next, 0, __ATOMIC_RELAXED);
		__atomic_fetch_add(&b->used, buffer_class_units(b->subbufs[unit].size_class),
			__ATOMIC_RELAXED);
	}
	return unit;
}

bool waymark_buffer_fill(struct buffer *b, uint32_t unit, size_t bytes)
{
	size_t filled = subbuf_filled(b, unit);

	if (bytes <= filled) {
		return true;
	}
	if (!populate(buffer_at(b, unit) + filled, subbuf_bytes(b, unit) - filled)) {
		return false;
	}
	b->subbufs[unit].missing = 0;
	__atomic_fetch_add(&b->filled, 1, __ATOMIC_RELAXED);
	return true;
}

void waymark_buffer_give(struct buffer *b, uint32_t unit)
{
	uint32_t count = buffer_class_units(b->subbufs[unit].size_class);

	push(b, unit, false);
	/* Afterwards, so that no unit is in use only if all of them can be taken. */
	__atomic_fetch_sub(&b->used, count, __ATOMIC_RELEASE);
}

/*
 * Gives memory to the beginning of each unit. Not by touch(), because a sub-buffer that was taken
 * meanwhile may hold events.
 */
static bool begin_units(struct buffer *b, uint32_t from, uint32_t to, size_t bytes)
{
	for (uint32_t unit = from; unit < to; unit++) {
		if (madvise(buffer_at(b, unit), bytes, MADV_POPULATE_WRITE)) {
			return false;
		}
	}
	return true;
}

/* Makes memory ready above `from` for as many units as `count` has grown since the last time. */
static void make_ready(
	struct buffer *b, struct ahead *a, uint32_t from, uint32_t count, size_t bytes)
{
	uint32_t bump = __atomic_load_n(&b->bump, __ATOMIC_RELAXED);
	uint32_t more = count - a->seen;

	__atomic_store_n(&a->seen, count, __ATOMIC_RELAXED);
	if (more < buffer_class_units(BUFFER_MEDIUM)) {
		return; /* only a few threads need memory; more may never be used */
	}
	uint32_t ahead = more < AHEAD_MIN ? AHEAD_MIN : more > AHEAD_MAX ? AHEAD_MAX : more;
	uint32_t to = b->units - bump < ahead ? b->units : bump + ahead;

	from = max(from, bump);
	if (to <= from ||
		mprotect(buffer_at(b, from), (to - from) * BUFFER_UNIT, PROT_READ | PROT_WRITE)) {
		return;
	}
	bool is_whole = bytes == BUFFER_UNIT;

	if (is_whole ? madvise(buffer_at(b, from), (to - from) * BUFFER_UNIT,
			       MADV_POPULATE_WRITE) == 0
		     : begin_units(b, from, to, bytes)) {
		__atomic_store_n(&a->ready, to, __ATOMIC_RELEASE);
	}
}

bool waymark_buffer_runs_low(const struct buffer *b, uint32_t most)
{
	uint32_t fresh = __atomic_load_n(&b->bump, __ATOMIC_RELAXED) -
			 __atomic_load_n(&b->begun.seen, __ATOMIC_RELAXED);

	return __atomic_load_n(&b->used, __ATOMIC_RELAXED) >= most || fresh >= AHEAD_MAX / 2;
}

void waymark_buffer_populate(struct buffer *b)
{
	uint32_t filled = __atomic_load_n(&b->filled, __ATOMIC_RELAXED);
	uint32_t bump = __atomic_load_n(&b->bump, __ATOMIC_RELAXED);

	make_ready(b, &b->whole, b->whole.ready, filled, BUFFER_UNIT);
	make_ready(b, &b->begun, max(b->whole.ready, b->begun.ready), bump, b->first_bytes);
}

/*
 * Makes free sub-buffers from memory that was made ready and never used. If other threads take the
 * last of it meanwhile, the next sub-buffer has no memory. `seen` follows `bump`, because no thread
 * asked for these units: otherwise the writer would make as many more ready.
 */
static void retire_ready(struct buffer *b)
{
	uint32_t ready = max(b->whole.ready, b->begun.ready);

	while (__atomic_load_n(&b->bump, __ATOMIC_RELAXED) < ready) {
		bool has_memory;
		uint32_t unit = take_fresh(b, BUFFER_SMALL, &has_memory);

		if (!unit) {
			break;
		}
		push(b, unit, !has_memory);
	}
	__atomic_store_n(
		&b->begun.seen, __atomic_load_n(&b->bump, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

/* Gives the memory of free sub-buffers back. */
static void cool(struct buffer *b, struct buffer_stack *s)
{
	uint32_t unit;

	/* One at a time, so that threads can take the others meanwhile. */
	while ((unit = pop(b, s)) != 0) {
		madvise(buffer_at(b, unit), subbuf_bytes(b, unit),
			b->is_file ? MADV_REMOVE : MADV_DONTNEED);
		push(b, unit, true);
	}
}

void waymark_buffer_trim(struct buffer *b)
{
	retire_ready(b);
	for (unsigned int k = 0; k < BUFFER_CLASSES; k++) {
		cool(b, &b->free[BUFFER_WARM][k]);
		cool(b, &b->free[BUFFER_BEGUN][k]);
	}
}

/* Relaxed within a turn, because threads of a jail read the last reading's age meanwhile. */
void waymark_buffer_set_clock(struct buffer *b, struct clock_pair now)
{
	struct buffer_clock *c = &b->file.now;
	struct timespec real;

	clock_gettime(CLOCK_REALTIME, &real);
	uint64_t real_ns = (uint64_t)real.tv_sec * 1000000000u + (uint64_t)real.tv_nsec;

	__atomic_store_n(&b->file.clock_turn, b->file.clock_turn + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	__atomic_store_n(&c->ticks, now.ticks, __ATOMIC_RELAXED);
	__atomic_store_n(&c->monotonic_ns, now.ns, __ATOMIC_RELAXED);
	__atomic_store_n(&c->realtime_ns, real_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&b->file.clock_turn, b->file.clock_turn + 1, __ATOMIC_RELEASE);
}

void waymark_buffer_set_totals(struct buffer *b, const struct buffer_totals *totals)
{
	struct buffer_totals *t = &b->file.totals;

	__atomic_store_n(&t->recorded, totals->recorded, __ATOMIC_RELAXED);
	__atomic_store_n(&t->lost, totals->lost, __ATOMIC_RELAXED);
	__atomic_store_n(&t->events, totals->events, __ATOMIC_RELAXED);
	__atomic_store_n(&t->events_on, totals->events_on, __ATOMIC_RELAXED);
}

void waymark_buffer_renew(struct buffer *b)
{
	void *streams = (char *)b + b->file.streams_offset;

	memset(streams, 0, BUFFER_STREAMS_MAX * sizeof(struct buffer_stream));
	memset(b->free, 0, sizeof(b->free));
	b->file.streams = 0;
	b->bump = b->file.first_unit;
	b->used = 0;
}
