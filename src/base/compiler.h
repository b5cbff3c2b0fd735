/* SPDX-License-Identifier: MIT */
/* Attributes of the compiler and small helpers for all layers. No state, nothing to link. */
#ifndef BASE_COMPILER_H
#define BASE_COMPILER_H

#define COLD __attribute__((cold, noinline))
/* For rare or long work, to keep its code and registers out of a short caller. */
#define NOINLINE __attribute__((noinline))
#define NORETURN __attribute__((noreturn))
#define PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define NONNULL_RESULT __attribute__((returns_nonnull))

/* For functions that a C library calls on a misaligned stack: musl 1.2.3 at a cancellation. */
#if defined(__x86_64__) || defined(__i386__)
#define ALIGNS_STACK __attribute__((force_align_arg_pointer))
#else
#define ALIGNS_STACK
#endif

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
