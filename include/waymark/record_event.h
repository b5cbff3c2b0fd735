/* SPDX-License-Identifier: MIT */
/*
 * waymark/record_event.h - recording one event into the calling thread's open packet. Part of
 * waymark/record.h; not for hand-written code.
 *
 * Recording takes no lock, no system call and no atomic read-modify-write. The cursor is private to
 * its thread; `busy` tells a signal handler that it interrupted an event, so that the handler
 * records into the thread's next cursor. The release store of the packet's content_size commits an
 * event.
 */
#ifndef WAYMARK_RECORD_EVENT_H
#define WAYMARK_RECORD_EVENT_H

#include <string.h>

#include <waymark/descriptor.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Compiled for speed although only cold code calls it. */
#define WAYMARK_HOT __attribute__((hot, noinline))

/*
 * Always inlined: in a large file compilers stop inlining, and a call costs an event more than its
 * stores.
 */
#define WAYMARK_INLINE static inline __attribute__((always_inline))

/*
 * A count that can be stored in one piece also on 32-bit hosts, where 8 bytes need not be aligned.
 */
typedef uint64_t __attribute__((aligned(8))) waymark_count;

/*
 * A thread's open packet. In a page that fork wipes: all zero means `not started in this process`.
 */
struct waymark_cursor {
	char *pos; /* of the next record, a multiple of 8 */
	char *limit; /* the end of the packet; NULL: the next event takes the slow path */
	waymark_count *content_size; /* of the packet, in bits */
	char *packet;
	uint32_t busy; /* an event is being recorded, or the packet switched */
	uint32_t cycles; /* WAYMARK_CYCLES: the clock is the cycle counter; 0: clock_gettime */
	uint32_t count; /* committed events; wraps; read by other threads */
	uint32_t tid; /* of the thread, in its first cursor; 0: unknown */
};

/*
 * The clock is also the cycle counter, but events take the slow path, which applies a lower limit
 * of strings.
 */
#define WAYMARK_CYCLES 1u
#define WAYMARK_CYCLES_SLOWLY 2u

/* The backends that record. Each has its own packets, memory and files. */
enum waymark_recorder { WAYMARK_RECORDER_CTF, WAYMARK_RECORDER_SIMPLE, WAYMARK_RECORDERS };

/*
 * The calling thread's cursors; before its first event they point to a cursor that is always busy.
 */
extern __thread struct waymark_cursor *waymark_cursors[WAYMARK_RECORDERS]
	__attribute__((tls_model("initial-exec")));

/*
 * The slow paths of recording. Call waymark_cursor_nested() when the thread's cursor is busy or
 * does not exist yet: it returns a free cursor. Call waymark_cursor_refill() when `size` bytes do
 * not fit into the cursor, which the caller has marked busy: it returns a cursor with room, marked
 * busy (a different one after a fork). If there is no memory, both count the event of that id as
 * lost and return NULL; no cursor is left marked busy.
 */
struct waymark_cursor *waymark_cursor_nested(
	enum waymark_recorder recorder, uint32_t id) WAYMARK_COLD;
struct waymark_cursor *waymark_cursor_refill(enum waymark_recorder recorder,
	struct waymark_cursor *c, size_t size, uint32_t id) WAYMARK_COLD;

/* Returns clock_gettime(CLOCK_MONOTONIC) in ns. Used if the cycle counter is not invariant. */
uint64_t waymark_clock_ns(void);

/* The most bytes that an event needs in addition to its arguments: header and end padding. */
#define WAYMARK_RECORD_OVERHEAD 16u

/* The longest record in bytes; longer strings are cut, and the cut is marked. */
#define WAYMARK_RECORD_MAX 32768u

/* The recorded length of a NULL string. */
#define WAYMARK_NULL_STRING UINT32_MAX

/*
 * An event that is being recorded. The start is a multiple of 8, so alignment is a matter of the
 * bytes used: a constant for the compiler, up to the first argument of varying length.
 */
struct waymark_record {
	struct waymark_cursor *cursor;
	char *start;
	size_t used;
};

/* Reads the cycle counter. Call it only if the cursor's `cycles` is set. */
WAYMARK_INLINE uint64_t waymark_clock_cycles(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return 0;
#endif
}

WAYMARK_INLINE uint64_t waymark_clock(const struct waymark_cursor *c)
{
	return c->cycles ? waymark_clock_cycles() : waymark_clock_ns();
}

/*
 * Returns whether the cursor's packet has room for `size` bytes. The writer takes the limit of a
 * quiet packet away: it stores NULL. On 64-bit hosts the difference is then negative, because no
 * address has the highest bit set. On 32-bit hosts an address may have it.
 */
WAYMARK_INLINE bool waymark_cursor_has_room(const struct waymark_cursor *c, size_t size)
{
	const char *limit = __atomic_load_n(&c->limit, __ATOMIC_RELAXED);

#if UINTPTR_MAX > UINT32_MAX
	return limit - c->pos >= (ptrdiff_t)size;
#else
	return (uintptr_t)limit >= (uintptr_t)c->pos &&
	       (uintptr_t)limit - (uintptr_t)c->pos >= size;
#endif
}

/*
 * Returns a cursor that is marked busy and has room; returns NULL, and counts the event as lost, if
 * there is none.
 */
static inline struct waymark_cursor *waymark_cursor_wait(
	enum waymark_recorder recorder, struct waymark_cursor *c, size_t size, uint32_t id)
{
	if (c->busy) {
		c = waymark_cursor_nested(recorder, id);
		if (!c) {
			return NULL;
		}
	}
	__atomic_store_n(&c->busy, 1, __ATOMIC_RELAXED);
	__asm__ volatile("" ::: "memory");
	if (!waymark_cursor_has_room(c, size)) {
		c = waymark_cursor_refill(recorder, c, size, id);
	}
	return c;
}

/*
 * Does the same without a call: returns NULL, and marks nothing, if a call is needed. A function
 * without calls saves no registers, which is most of the cost of an event inside busy code.
 */
WAYMARK_INLINE struct waymark_cursor *waymark_cursor_try(struct waymark_cursor *c, size_t size)
{
	if (WAYMARK_UNLIKELY(c->busy)) {
		return NULL;
	}
	__atomic_store_n(&c->busy, 1, __ATOMIC_RELAXED);
	__asm__ volatile("" ::: "memory");
	if (WAYMARK_UNLIKELY(!waymark_cursor_has_room(c, size)) ||
		WAYMARK_UNLIKELY(c->cycles != WAYMARK_CYCLES)) {
		__atomic_store_n(&c->busy, 0, __ATOMIC_RELAXED);
		return NULL;
	}
	return c;
}

/* Stores the header of the cursor's next record. */
WAYMARK_INLINE void waymark_record_header(struct waymark_record *r, struct waymark_cursor *c,
	const struct waymark_event *event, uint64_t now)
{
	uint64_t header = now << 16 | (uint16_t)event->id;

	r->cursor = c;
	r->start = (char *)__builtin_assume_aligned(c->pos, 8);
	r->used = sizeof(header);
	memcpy(r->start, &header, sizeof(header));
}

/*
 * Begins an event whose arguments take at most `size` bytes, alignment included. Makes no call;
 * false means that one is needed: generated code calls waymark_ctf() or waymark_simple() then, and
 * hand-written code waymark_record_begin().
 */
WAYMARK_INLINE bool waymark_record_try(struct waymark_record *r, enum waymark_recorder recorder,
	const struct waymark_event *event, size_t size)
{
	struct waymark_cursor *c =
		waymark_cursor_try(waymark_cursors[recorder], size + WAYMARK_RECORD_OVERHEAD);

	if (WAYMARK_UNLIKELY(!c)) {
		return false;
	}
	waymark_record_header(r, c, event, waymark_clock_cycles());
	return true;
}

/* Does the same by any call that is needed; false means that the event was lost and counted. */
static inline bool waymark_record_begin(struct waymark_record *r, enum waymark_recorder recorder,
	const struct waymark_event *event, size_t size)
{
	struct waymark_cursor *c = waymark_cursor_wait(
		recorder, waymark_cursors[recorder], size + WAYMARK_RECORD_OVERHEAD, event->id);

	if (!c) {
		return false;
	}
	waymark_record_header(r, c, event, waymark_clock(c));
	return true;
}

/* Stores bytes without alignment. */
WAYMARK_INLINE void waymark_record_bytes(struct waymark_record *r, const void *bytes, size_t size)
{
	memcpy(r->start + r->used, bytes, size);
	r->used += size;
}

/* Stores one scalar in its natural width and alignment. */
WAYMARK_INLINE void waymark_record_value(struct waymark_record *r, const void *value, size_t size)
{
	r->used = (r->used + size - 1) & ~(size - 1);
	waymark_record_bytes(r, value, size);
}

/*
 * Adds one, by a single instruction if the CPU has one, where compilers would emit three. No signal
 * handler changes the count meanwhile, because the cursor is marked busy.
 */
WAYMARK_INLINE void waymark_count_up(uint32_t *count)
{
#if defined(__x86_64__) || defined(__i386__)
	__asm__ volatile("incl %0" : "+m"(*count));
#else
	__atomic_store_n(count, *count + 1, __ATOMIC_RELAXED);
#endif
}

/* Commits the event. */
WAYMARK_INLINE void waymark_record_end(struct waymark_record *r)
{
	struct waymark_cursor *c = r->cursor;

	/* The last event's padding is not content: readers of CTF would expect another event. */
	char *next = r->start + ((r->used + 7) & ~(size_t)7);
	uint64_t content = (uint64_t)(r->start + r->used - c->packet);

	__atomic_store_n(&c->pos, next, __ATOMIC_RELAXED);
	__atomic_store_n(c->content_size, content * 8, __ATOMIC_RELEASE);
	waymark_count_up(&c->count);
	/* Release: a thread that sees `busy` cleared sees everything that was recorded. */
	__atomic_store_n(&c->busy, 0, __ATOMIC_RELEASE);
}

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
