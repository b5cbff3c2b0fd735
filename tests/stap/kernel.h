/* SPDX-License-Identifier: MIT */
/*
 * Replaces the parts of the kernel and of SystemTap's runtime that a script translated
 * to C needs, so that a program can call its probes without a kernel module. The
 * printing code (vsprintf.c) is SystemTap's own.
 */
#ifndef STAP_KERNEL_H
#define STAP_KERNEL_H

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MAXSTRINGLEN 512
#define MAXNESTING 10
#define STP_BUFFER_SIZE 8192
#define PAGE_SIZE 4096
#define STAP_VERSION(a, b) (((a) << 8) + (b))
#define STAP_COMPAT_VERSION STAP_VERSION(4, 8)

typedef char string_t[MAXSTRINGLEN];

#define __user
#define noinline
#define fallthrough __attribute__((fallthrough))
#define likely(x) (x)
#define unlikely(x) (x)
#define min_t(type, a, b) ((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define clamp_t(type, x, low, high)                       \
	((type)(x) < (type)(low)	   ? (type)(low)  \
		: (type)(x) > (type)(high) ? (type)(high) \
					   : (type)(x))
#define clamp(x, low, high) clamp_t(__typeof__(x), x, low, high)
#define do_div(n, base)                       \
	({                                    \
		uint64_t rest = (n) % (base); \
		(n) /= (base);                \
		rest;                         \
	})
#define to_oct_digit(c) ((c) + '0')
#define uread(p) (*(p))
#define kread(p) (*(p))
#define assert_is_myproc() \
	do {               \
	} while (0)
#define _stp_runtime_get_context() ((struct context *)NULL)

#define current ((struct { int tgid; }[]){ { (int)getpid() } })

static char stap_buffer[STP_BUFFER_SIZE];
static size_t stap_used;

static inline void *_stp_reserve_bytes(int n)
{
	char *p = stap_buffer + stap_used;

	if (n < 0 || stap_used + (size_t)n > sizeof(stap_buffer)) {
		abort();
	}
	stap_used += (size_t)n;
	return p;
}

static inline void _stp_unreserve_bytes(int n)
{
	stap_used -= (size_t)n;
}

static inline bool _stp_print_trylock_irqsave(unsigned long *flags)
{
	*flags = 0;
	return true;
}

static inline void _stp_print_unlock_irqrestore(unsigned long *flags)
{
	(void)flags;
}

static inline void _stp_print_flush(void)
{
}

#define _stp_error(...) abort()

static inline int64_t stap_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

#define _stp_gettimeofday_ns() stap_clock(CLOCK_REALTIME)
#define ktime_get() stap_clock(CLOCK_MONOTONIC)
#define ktime_to_ns(t) (t)
#define ktime_get_ns() stap_clock(CLOCK_MONOTONIC)

/*
 * The kernel's function: copies at most `n` bytes; an error if the address does not belong to the
 * process.
 */
static inline long _stp_strncpy_from_user(char *to, const char *from, long n)
{
	for (long i = 0; i < n; i++) {
		struct iovec local = { to + i, 1 };
		struct iovec remote = { (void *)(uintptr_t)(from + i), 1 };

		if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != 1) {
			return -EFAULT;
		}
		if (to[i] == '\0') {
			return i;
		}
	}
	return n;
}

#define strlcpy stap_strlcpy
#define strlcat stap_strlcat

static inline size_t stap_strlcpy(char *to, const char *from, size_t n)
{
	snprintf(to, n, "%s", from);
	return strlen(from);
}

static inline size_t stap_strlcat(char *to, const char *from, size_t n)
{
	size_t used = strnlen(to, n);

	return used + stap_strlcpy(to + used, from, n - used);
}

/* The probe's arguments $arg1, $arg2, ... */
static int64_t shim_args[64];

#endif
