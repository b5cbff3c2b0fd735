/* SPDX-License-Identifier: MIT */
/*
 * What the C standard leaves to the compiler: attributes and small helpers
 * that every layer uses. Nothing here has state or needs linking.
 */
#ifndef BASE_COMPILER_H
#define BASE_COMPILER_H

#define COLD __attribute__((cold, noinline))
/* What is seldom or costs more than a call, kept out of functions that must be short. */
#define NOINLINE __attribute__((noinline))
#define NORETURN __attribute__((noreturn))
#define PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define NONNULL_RESULT __attribute__((returns_nonnull))

/* Of functions that a C library calls on any stack: musl 1.2.3 at an asynchronous cancel. */
#if defined(__x86_64__) || defined(__i386__)
#define ALIGNS_STACK __attribute__((force_align_arg_pointer))
#else
#define ALIGNS_STACK
#endif

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
