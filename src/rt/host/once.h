/* SPDX-License-Identifier: MIT */
/*
 * What is done once, by whoever comes first. Its flag is a word: gcc 12 calls libatomic to
 * exchange less on riscv64, and the traced program links nothing but the C library.
 */
#ifndef RT_HOST_ONCE_H
#define RT_HOST_ONCE_H

#include <stdbool.h>
#include <stdint.h>

struct once {
	uint32_t done; /* relaxed: one exchange finds it 0 */
};

/* Whether nobody was here before. Orders nothing else. Any thread, async-signal-safe. */
static inline bool once(struct once *o)
{
	return !__atomic_exchange_n(&o->done, 1, __ATOMIC_RELAXED);
}

/* Makes the next one the first. */
static inline void once_more(struct once *o)
{
	__atomic_store_n(&o->done, 0, __ATOMIC_RELAXED);
}

#endif
