/* SPDX-License-Identifier: MIT */
/*
 * waymark/record.h - what a generated trace.c sees: the events' descriptors, and
 * the recording of one event into the calling thread's open packet. Not for
 * hand-written code; programs use waymark/control.h.
 *
 * Recording takes no lock, no system call and no atomic read-modify-write. The
 * cursor is private to its thread; `busy` tells a signal handler that it
 * interrupted an event, so that it records into the thread's next cursor. What
 * commits an event is the release store of the packet's content_size.
 */
#ifndef WAYMARK_RECORD_H
#define WAYMARK_RECORD_H

#include <string.h>

#include <waymark/debug.h>
#include <waymark/descriptor.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Compiled for speed although only cold code calls it. */
#define WAYMARK_HOT __attribute__((hot, noinline))
#define WAYMARK_INLINE static inline __attribute__((always_inline))

/*
 * The backends that are on for the event on that vCPU. The mask is loaded first, and acquires:
 * whoever sees the event on sees which vCPUs it was switched on for. Any thread;
 * async-signal-safe, lock-free.
 */
unsigned int waymark_vcpu_backends(const struct waymark_event *event, const void *cpu);

/* Those that are on for all vCPUs; 0 where not all have the same. */
WAYMARK_INLINE unsigned int waymark_vcpu_alike(const struct waymark_event *event)
{
	unsigned int on = WAYMARK_BACKENDS(*event->state);

	return __atomic_load_n(&event->vcpus, __ATOMIC_RELAXED) ? 0 : on;
}

/*
 * One log line: the event's name, and behind it a text that begins with a blank
 * unless it is empty. Any thread; async-signal-safe but for the formatting.
 */
void waymark_log(const struct waymark_event *event, const char *fmt, ...) WAYMARK_PRINTF(2, 3);

/*
 * One message to the system's log: facility daemon, severity info, the program's
 * name and pid, then the text of a log line. Any thread; async-signal-safe but
 * for the formatting.
 */
void waymark_syslog(const struct waymark_event *event, const char *fmt, ...) WAYMARK_PRINTF(2, 3);
/* The same as an event of the kernel's trace: one write to its trace_marker. */
void waymark_ftrace(const struct waymark_event *event, const char *fmt, ...) WAYMARK_PRINTF(2, 3);

/* What a text backend has to say of a scope. */
enum waymark_mark {
	WAYMARK_MARK_NONE, /* an event */
	WAYMARK_MARK_START, /* [SCOPE_START] */
	WAYMARK_MARK_END, /* [SCOPE_END], alone */
	WAYMARK_MARK_ASYNC_START, /* [SCOPE_START(id=N)] */
	WAYMARK_MARK_ASYNC_END, /* [SCOPE_END(id=N)], and the message once more */
};

/* What is handed over of an event whose message has braces (WAYMARK_EVENT_BRACES). */
struct waymark_message {
	const struct waymark_debug *values; /* of its placeholders, in order */
	uint32_t count;
	uint32_t line; /* of the call */
	const char *file; /* of the call; NULL: not known, and the declaration's is shown */
	uint32_t mark; /* enum waymark_mark */
	int64_t id; /* of a scope: of an asynchronous one an int32_t */
	/* Of an asynchronous scope's end: what was rendered at its start, instead of the values. */
	const char *text;
	size_t length;
};

/*
 * The same three for such events: `[name] message`. Any thread; async-signal-safe, as far as
 * callbacks of its values are.
 */
void waymark_log_message(const struct waymark_event *event, const struct waymark_message *m);
void waymark_syslog_message(const struct waymark_event *event, const struct waymark_message *m);
void waymark_ftrace_message(const struct waymark_event *event, const struct waymark_message *m);

/*
 * The same for scopes alone, by OpenHarmony's libhitrace_meter.so: without it, and for an event
 * that is none, nothing. Any thread; for signal handlers as far as that library is.
 */
void waymark_hitrace_message(const struct waymark_event *event, const struct waymark_message *m);

/* What stands at that place of the program; a file of NULL is not known. */
static inline struct waymark_message waymark_message_of(
	const struct waymark_debug *values, uint32_t count, const char *file, uint32_t line)
{
	struct waymark_message m;

	memset(&m, 0, sizeof(m));
	m.values = values;
	m.count = count;
	m.line = line;
	m.file = file;
	return m;
}

/* A NULL string as the text backends print it. */
static inline const char *waymark_text(const char *s)
{
	return s ? s : "(null)";
}

/* A count that is stored whole on 32-bit hosts too, where 8 bytes need not be aligned. */
typedef uint64_t __attribute__((aligned(8))) waymark_count;

/* A thread's open packet. A page that fork wipes: all zero means `not started here`. */
struct waymark_cursor {
	char *pos; /* the next record, a multiple of 8 */
	char *limit; /* the end of the packet; NULL: the next event takes the slow path */
	waymark_count *content_size; /* of the packet, in bits */
	char *packet;
	uint32_t busy; /* an event is being recorded, or the packet switched */
	uint32_t cycles; /* WAYMARK_CYCLES: the clock is the cycle counter; 0: clock_gettime */
	uint32_t count; /* of events that it has committed; wraps, and others look at it */
	uint32_t tid; /* of the thread, in its first cursor; 0: not known yet */
};

/* The same clock, but events take the slow path, which knows what strings may have at most. */
#define WAYMARK_CYCLES 1u
#define WAYMARK_CYCLES_SLOWLY 2u

/* The backends that record. Each has packets, memory and files of its own. */
enum waymark_recorder { WAYMARK_RECORDER_CTF, WAYMARK_RECORDER_SIMPLE, WAYMARK_RECORDERS };

/* The calling thread's cursors; before its first event one that is always busy. */
extern __thread struct waymark_cursor *waymark_cursors[WAYMARK_RECORDERS]
	__attribute__((tls_model("initial-exec")));

/*
 * The slow paths. waymark_cursor_nested(): the thread's cursor is busy or there
 * is none yet; returns a free cursor. waymark_cursor_refill(): `size` bytes do
 * not fit into the cursor, which the caller has marked busy; returns a cursor
 * with room that is marked busy (after a fork it is another one). Both return
 * NULL, with no mark left behind, after counting the event of that id as lost.
 */
struct waymark_cursor *waymark_cursor_nested(
	enum waymark_recorder recorder, uint32_t id) WAYMARK_COLD;
struct waymark_cursor *waymark_cursor_refill(enum waymark_recorder recorder,
	struct waymark_cursor *c, size_t size, uint32_t id) WAYMARK_COLD;

/* clock_gettime(CLOCK_MONOTONIC) in ns, where the cycle counter is not invariant. */
uint64_t waymark_clock_ns(void);

/* What a string may take, of at most `max`: less where the program's user says so. */
uint32_t waymark_string_max(uint32_t max) WAYMARK_COLD;

/* What `%m` prints: the text of errno, in English; `spare` is for numbers that have none. */
#define WAYMARK_ERROR_SPARE 24
const char *waymark_error_text(char spare[WAYMARK_ERROR_SPARE]) WAYMARK_COLD;

/* What an event needs at most besides its arguments: header and padding of the end. */
#define WAYMARK_RECORD_OVERHEAD 16u

/* The longest record; longer strings are cut, and the cut is marked. */
#define WAYMARK_RECORD_MAX 32768u

/* The length of a string that is NULL. */
#define WAYMARK_NULL_STRING UINT32_MAX

/* An event that is being recorded. */
struct waymark_record {
	struct waymark_cursor *cursor;
	char *pos;
};

/* Reads the cycle counter; only where the cursor says that it may be trusted. */
static inline uint64_t waymark_clock_cycles(void)
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

static inline uint64_t waymark_clock(const struct waymark_cursor *c)
{
	return c->cycles ? waymark_clock_cycles() : waymark_clock_ns();
}

/*
 * Whether the cursor's packet has room for `size` bytes. The writer closes a quiet packet by
 * storing a limit of NULL: the difference is negative then, as no address has the highest of 64
 * bits. Of 32 it may be set.
 */
static inline bool waymark_cursor_has_room(const struct waymark_cursor *c, size_t size)
{
	const char *limit = __atomic_load_n(&c->limit, __ATOMIC_RELAXED);

#if UINTPTR_MAX > UINT32_MAX
	return limit - c->pos >= (ptrdiff_t)size;
#else
	return (uintptr_t)limit >= (uintptr_t)c->pos &&
	       (uintptr_t)limit - (uintptr_t)c->pos >= size;
#endif
}

/* A cursor that is marked busy and has room; NULL where the event is lost, and was counted. */
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
 * The same where that takes no call: NULL, with no mark left behind, where it
 * does. A function without calls saves no registers, and that is most of what
 * an event costs inside of work that depends on them.
 */
static inline struct waymark_cursor *waymark_cursor_try(struct waymark_cursor *c, size_t size)
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

/*
 * Begins an event of at most `size` bytes of arguments, each with its alignment
 * counted in. With `wait` false it makes no call, and false means: once more
 * with `wait`. With `wait` it means that the event is lost, and was counted.
 */
static inline bool waymark_record_open(struct waymark_record *r, enum waymark_recorder recorder,
	const struct waymark_event *event, size_t size, bool wait)
{
	struct waymark_cursor *c = waymark_cursors[recorder];

	size += WAYMARK_RECORD_OVERHEAD;
	c = wait ? waymark_cursor_wait(recorder, c, size, event->id) : waymark_cursor_try(c, size);
	if (!c) {
		return false;
	}
	uint64_t now = wait ? waymark_clock(c) : waymark_clock_cycles();
	uint64_t header = now << 16 | (uint16_t)event->id;
	char *pos = (char *)__builtin_assume_aligned(c->pos, 8);

	memcpy(pos, &header, sizeof(header));
	r->cursor = c;
	r->pos = pos + sizeof(header);
	return true;
}

/* The same for code that is written by hand: waits. */
static inline bool waymark_record_begin(struct waymark_record *r, enum waymark_recorder recorder,
	const struct waymark_event *event, size_t size)
{
	return waymark_record_open(r, recorder, event, size, true);
}

/* Stores one scalar in its natural width and alignment. */
static inline void waymark_record_value(struct waymark_record *r, const void *value, size_t size)
{
	r->pos = (char *)(((uintptr_t)r->pos + size - 1) & ~(uintptr_t)(size - 1));
	memcpy(r->pos, value, size);
	r->pos += size;
}

/*
 * One more. In one instruction where there is one: compilers make three of it. A
 * signal handler never comes in between, because the cursor is marked busy.
 */
static inline void waymark_count_up(uint32_t *count)
{
#if defined(__x86_64__) || defined(__i386__)
	__asm__ volatile("incl %0" : "+m"(*count));
#else
	__atomic_store_n(count, *count + 1, __ATOMIC_RELAXED);
#endif
}

/* Commits the event. */
static inline void waymark_record_end(struct waymark_record *r)
{
	struct waymark_cursor *c = r->cursor;

	/* The last event's padding is no content: readers of CTF would look for another event. */
	char *pos = (char *)(((uintptr_t)r->pos + 7) & ~(uintptr_t)7);

	__atomic_store_n(&c->pos, pos, __ATOMIC_RELAXED);
	__atomic_store_n(c->content_size, (uint64_t)(r->pos - c->packet) * 8, __ATOMIC_RELEASE);
	waymark_count_up(&c->count);
	/* Release: who sees the thread in no event sees all that it has recorded. */
	__atomic_store_n(&c->busy, 0, __ATOMIC_RELEASE);
}

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#include <waymark/record_string.h>
#include <waymark/record_value.h>

#endif
