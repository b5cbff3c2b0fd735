/* SPDX-License-Identifier: MIT */
/* See ftrace_marker.h: what is lost is counted, told once while it happens, and at exit. */
#include <stdint.h>
#include <unistd.h>

#include <waymark/record.h>

#include "rt/host/message.h"
#include "rt/sink/ftrace_marker.h"

/*
 * Relaxed. Of the process `counted_by`: what its parent lost is the parent's to tell.
 * Threads that begin the count of a child together may count some events too few.
 */
static waymark_count lost;
static pid_t counted_by;

static uint32_t told; /* bit n: of enum ftrace_trouble */

void waymark_ftrace_count_lost(void)
{
	pid_t self = getpid();

	if (__atomic_exchange_n(&counted_by, self, __ATOMIC_RELAXED) != self) {
		__atomic_store_n(&lost, 0, __ATOMIC_RELAXED);
	}
	__atomic_fetch_add(&lost, 1, __ATOMIC_RELAXED);
}

bool waymark_ftrace_may_tell(enum ftrace_trouble trouble)
{
	uint32_t bit = 1u << trouble;

	return !(__atomic_fetch_or(&told, bit, __ATOMIC_RELAXED) & bit);
}

__attribute__((destructor)) static void report_lost(void)
{
	uint64_t count = __atomic_load_n(&lost, __ATOMIC_RELAXED);

	if (count > 0 && __atomic_load_n(&counted_by, __ATOMIC_RELAXED) == getpid()) {
		waymark_message(
			"ftrace: %llu events could not be written", (unsigned long long)count);
	}
}
