/* SPDX-License-Identifier: MIT */
/*
 * Sleeps on a word, and wakes threads that sleep on it. Makes system calls directly, so it is safe
 * in any thread and signal handler and after a fork, and is no cancellation point.
 */
#ifndef RT_HOST_FUTEX_H
#define RT_HOST_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* No timeout. */
#define FUTEX_FOREVER UINT64_MAX

static inline void futex_wait_as(int operation, uint32_t *word, uint32_t value, uint64_t ns)
{
	/* The kernel's timespec of this call, which is not the C library's with a 64-bit time_t. */
	struct {
		long sec;
		long ns;
	} timeout = { (long)(ns / 1000000000u), (long)(ns % 1000000000u) };

	syscall(SYS_futex, word, operation, value, ns == FUTEX_FOREVER ? NULL : &timeout, NULL, 0);
}

/* Sleeps while *word == value, at most `ns`; may return early. */
static inline void futex_wait(uint32_t *word, uint32_t value, uint64_t ns)
{
	futex_wait_as(FUTEX_WAIT_PRIVATE, word, value, ns);
}

/* The same for a word that other processes also map. */
static inline void futex_wait_shared(uint32_t *word, uint32_t value, uint64_t ns)
{
	futex_wait_as(FUTEX_WAIT, word, value, ns);
}

/* Sleeps; may end early. */
static inline void futex_sleep(uint64_t ns)
{
	uint32_t word = 0; /* no thread wakes it */

	futex_wait(&word, 0, ns);
}

static inline void futex_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

#endif
