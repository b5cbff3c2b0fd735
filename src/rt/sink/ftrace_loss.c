/* SPDX-License-Identifier: MIT */
/* See ftrace_marker.h: what is lost is counted, told once while it happens, and at exit. */
#include <stdint.h>
#include <sys/mman.h>

#include <waymark/record.h>

#include "rt/host/message.h"
#include "rt/record/cursor.h"
#include "rt/sink/ftrace.h"
#include "rt/sink/ftrace_marker.h"

/*
 * The count is relaxed. It is in memory that a fork wipes, however the child is
 * made: what its parent lost is the parent's to tell. A child of vfork() that
 * shares the memory counts for its parent. NULL: nothing was lost yet; published
 * by release.
 */
static waymark_count *lost;

/* Where there is no memory to be had; a child has what its parent counted here. */
static waymark_count lost_without_memory;

static uint32_t told; /* bit n: of enum ftrace_trouble */

static waymark_count *get_count(void)
{
	waymark_count *count = __atomic_load_n(&lost, __ATOMIC_ACQUIRE);
	waymark_count *none = NULL;

	if (count) {
		return count;
	}
	count = waymark_wiped_map(sizeof(*count));
	if (!count) {
		return &lost_without_memory;
	}
	if (!__atomic_compare_exchange_n(
		    &lost, &none, count, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		munmap(count, sizeof(*count));
		count = none;
	}
	return count;
}

void waymark_ftrace_count_lost(void)
{
	__atomic_fetch_add(get_count(), 1, __ATOMIC_RELAXED);
}

uint64_t waymark_ftrace_lost(void)
{
	const waymark_count *count = __atomic_load_n(&lost, __ATOMIC_ACQUIRE);

	return (count ? __atomic_load_n(count, __ATOMIC_RELAXED) : 0) +
	       __atomic_load_n(&lost_without_memory, __ATOMIC_RELAXED);
}

bool waymark_ftrace_may_tell(enum ftrace_trouble trouble)
{
	uint32_t bit = 1u << trouble;

	return !(__atomic_fetch_or(&told, bit, __ATOMIC_RELAXED) & bit);
}

__attribute__((destructor)) static void report_lost(void)
{
	uint64_t count = waymark_ftrace_lost();

	if (count > 0) {
		waymark_message(
			"ftrace: %llu events could not be written", (unsigned long long)count);
	}
}
