/* SPDX-License-Identifier: MIT */
/*
 * waymark/record.h - all that a generated trace.c includes: the events' descriptors, recording into
 * the thread's packet, and the backends that print text. Not for hand-written code; programs use
 * waymark/control.h.
 */
#ifndef WAYMARK_RECORD_H
#define WAYMARK_RECORD_H

#include <string.h>

#include <waymark/debug.h>
#include <waymark/descriptor.h>
#include <waymark/record_event.h>
#include <waymark/record_value.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* What is recorded of a string: the `part` of its argument, see struct waymark_arg. */
#define WAYMARK_WHOLE 0
#define WAYMARK_FIRST_MAX 0x7ffe
#define WAYMARK_FIRST(bytes) (1 + (bytes))
#define WAYMARK_FIRST_BY(arg) (0x8000 | (arg)) /* as many as that argument says; negative: all */
#define WAYMARK_ONLY_ADDRESS 0xffff

/*
 * Returns the backends that are on for the event on that vCPU. Loads the mask first, with acquire:
 * a thread that sees the event on also sees the vCPUs it was switched on for. Any thread;
 * async-signal-safe, lock-free.
 */
unsigned int waymark_vcpu_backends(const struct waymark_event *event, const void *cpu);

/* Returns the backends that are on for all vCPUs; 0 if the vCPUs differ. */
WAYMARK_INLINE unsigned int waymark_vcpu_alike(const struct waymark_event *event)
{
	unsigned int on = WAYMARK_BACKENDS(*event->state);

	return __atomic_load_n(&event->vcpus, __ATOMIC_RELAXED) ? 0 : on;
}

/*
 * waymark_ctf() and waymark_simple() record an event whatever that needs: memory, another cursor, a
 * callback. They follow waymark_record_try() when that returned false. `...`: the arguments as
 * declared; the length of text and bytes, a size_t, follows them. Any thread, any signal handler;
 * callbacks are called.
 */
void waymark_ctf(const struct waymark_event *event, ...) WAYMARK_COLD;
void waymark_simple(const struct waymark_event *event, ...) WAYMARK_COLD;

/*
 * The bit of an event's state for backends that are on under a condition, in place of their own
 * bits. So an event with a condition takes a path that costs other events nothing.
 */
#define WAYMARK_CONDITIONAL 0x8000u
#define WAYMARK_IS_CONDITIONAL(on) WAYMARK_UNLIKELY((on)&WAYMARK_CONDITIONAL)

/* Calls without a jump through the procedure linkage table, which takes 0.2 ns. */
#if defined(__has_attribute)
#if __has_attribute(noplt)
#define WAYMARK_DIRECT __attribute__((noplt))
#endif
#endif
#ifndef WAYMARK_DIRECT
#define WAYMARK_DIRECT
#endif

/*
 * Returns the backends that take this call: those in `on`, the mask of the event's state, and if
 * the event's condition is true, those that are on under it. `words`: the arguments, as
 * rt/event/field.h has them. Any thread, any signal handler.
 */
WAYMARK_DIRECT unsigned int waymark_decide(
	const struct waymark_event *event, unsigned int on, const uint64_t *words);

/* Returns a fraction as a word of a call. */
WAYMARK_INLINE uint64_t waymark_word_of_double(double number)
{
	uint64_t word;

	memcpy(&word, &number, sizeof(word));
	return word;
}

/* Keep the text only in rows whose kind has waymark_<name>(), which takes a printf format. */
#define WAYMARK_IF_PRINTF_recorder(...)
#define WAYMARK_IF_PRINTF_text(...) __VA_ARGS__
#define WAYMARK_IF_PRINTF_text_place(...) __VA_ARGS__
#define WAYMARK_IF_PRINTF_text_scope(...)
#define WAYMARK_IF_PRINTF_tracer(...)

/*
 * Print an event as a line of text: its name, then the text, which begins with a blank unless it is
 * empty. waymark_log() writes the line to the log; waymark_syslog() sends it to the system's log,
 * with facility daemon, severity info, and the program's name and pid before it; waymark_ftrace()
 * writes it to the kernel's trace by one write to the trace_marker. Any thread; async-signal-safe
 * except for the formatting.
 */
#define WAYMARK_PRINTF_OF(bit, upper, lower, kind, help) \
	WAYMARK_IF_PRINTF_##kind(void waymark_##lower(   \
		const struct waymark_event *event, const char *fmt, ...) WAYMARK_PRINTF(2, 3);)
WAYMARK_ALL_BACKENDS(WAYMARK_PRINTF_OF)
#undef WAYMARK_PRINTF_OF

/*
 * Fires an event for each of its backends that is on; all of them take the same arguments. Any
 * thread; as async-signal-safe as these backends.
 */
void waymark_several(const struct waymark_event *event, const char *fmt, ...) WAYMARK_COLD
	WAYMARK_PRINTF(2, 3);

/* The mark that a text backend prints for a scope. */
enum waymark_mark {
	WAYMARK_MARK_NONE, /* an event */
	WAYMARK_MARK_START, /* [SCOPE_START] */
	WAYMARK_MARK_END, /* only [SCOPE_END] */
	WAYMARK_MARK_ASYNC_START, /* [SCOPE_START(id=N)] */
	WAYMARK_MARK_ASYNC_END, /* [SCOPE_END(id=N)], with the message of the start */
};

/* An event whose message has braces (WAYMARK_EVENT_BRACES), as it is passed to text backends. */
struct waymark_message {
	const struct waymark_debug *values; /* of its placeholders, in order */
	uint32_t count;
	uint32_t line; /* of the call */
	const char *file; /* of the call; NULL: unknown, and the declaration's is shown */
	uint32_t mark; /* enum waymark_mark */
	int64_t id; /* of a scope; an int32_t if it is asynchronous */
	/*
	 * For the end of an asynchronous scope: the text rendered at its start, used instead of the
	 * values.
	 */
	const char *text;
	size_t length;
};

/*
 * The same for events with braces: `[name] message`. Any thread; as async-signal-safe as the
 * callbacks of its values. waymark_hitrace_message() reports a scope to OpenHarmony's
 * libhitrace_meter.so: it does nothing without that library or for an event that is not a scope,
 * and is as async-signal-safe as that library.
 */
#define WAYMARK_MESSAGE_OF(bit, upper, lower, kind, help)        \
	WAYMARK_IF_PRINTS_##kind(void waymark_##lower##_message( \
		const struct waymark_event *event, const struct waymark_message *m);)
WAYMARK_ALL_BACKENDS(WAYMARK_MESSAGE_OF)
#undef WAYMARK_MESSAGE_OF

/* Returns the message of a call at that file and line. A file of NULL means unknown. */
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

/* Returns the string, or the text that text backends print for NULL. */
static inline const char *waymark_text(const char *s)
{
	return s ? s : "(null)";
}

/*
 * Returns the text of errno, in English, as `%m` prints it. `spare` holds the text of unknown
 * numbers.
 */
#define WAYMARK_ERROR_SPARE 24
const char *waymark_error_text(char spare[WAYMARK_ERROR_SPARE]) WAYMARK_COLD;

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
