/* SPDX-License-Identifier: MIT */
/*
 * The runtime's own messages: a line `waymark: ...` on standard error, in one write. The caller
 * takes care that the same one is not written again and again: see struct once.
 */
#ifndef RT_HOST_MESSAGE_H
#define RT_HOST_MESSAGE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "rt/host/line.h"

/* Any thread, any signal handler; keeps errno. `fmt` as of waymark_line_put(), no newline. */
void waymark_message(const char *fmt, ...) PRINTF(1, 2);

/* The same in two steps: makes the whole line; then writes it. */
void waymark_message_make(struct line *l, const char *fmt, va_list ap) PRINTF(2, 0);
void waymark_message_write(const char *line, size_t length);

/*
 * Something that happens once. A word: gcc 12 calls libatomic to exchange less on riscv64, and
 * the traced program links nothing but the C library.
 */
struct once {
	uint32_t done; /* relaxed: one exchange finds it 0 */
};

/* True if this is the first call. Orders nothing else. Any thread, async-signal-safe. */
static inline bool once(struct once *o)
{
	return !__atomic_exchange_n(&o->done, 1, __ATOMIC_RELAXED);
}

/* Makes the next call the first one. */
static inline void once_more(struct once *o)
{
	__atomic_store_n(&o->done, 0, __ATOMIC_RELAXED);
}

#endif
