/* SPDX-License-Identifier: MIT */
/*
 * The runtime's own messages: a line `waymark: ...` on standard error, in one write. Callers must
 * not write the same message again and again: see struct once.
 */
#ifndef RT_HOST_MESSAGE_H
#define RT_HOST_MESSAGE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "rt/host/line.h"

/*
 * Writes a message. `fmt` as for waymark_line_put(), without a newline. Keeps errno. Any thread,
 * any signal handler.
 */
void waymark_message(const char *fmt, ...) PRINTF(1, 2);

/* The same in two steps: the first makes the whole line, the second writes it. */
void waymark_message_make(struct line *l, const char *fmt, va_list ap) PRINTF(2, 0);
void waymark_message_write(const char *line, size_t length);

/*
 * A flag for something that happens once. It is a whole word, because gcc 12 on riscv64 calls
 * libatomic to exchange less, and the traced program links nothing but the C library.
 */
struct once {
	uint32_t done; /* relaxed: one exchange finds it 0 */
};

/*
 * Returns true for the first call only. Does not order other memory accesses. Any thread,
 * async-signal-safe.
 */
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
