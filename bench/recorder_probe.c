/* SPDX-License-Identifier: MIT */
/* Probes for tracers outside of the process, which decide all: see recorder.h. */
#include "harness.h"
#include "recorder.h"

/*
 * A register that functions save first, so that these begin as most do, and the kernel does for a
 * uprobe what that instruction does. It executes a lone `ret` in place, by another trap.
 */
#if defined(__x86_64__)
#define SAVED "rbx"
#elif defined(__aarch64__)
#define SAVED "x19"
#endif

NOINLINE void function_two_u64(uint64_t a, uint64_t b)
{
	__asm__ volatile("" ::"r"(a), "r"(b) : SAVED);
}

NOINLINE void function_u64_str(uint64_t a, const char *s)
{
	__asm__ volatile("" ::"r"(a), "r"(s) : SAVED);
}

void recorder_open(const char *path, const char *options)
{
	(void)path;
	(void)options;
}

void recorder_settle(void)
{
}

uint64_t recorder_close(void)
{
	return 0;
}
