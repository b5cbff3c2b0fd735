/* SPDX-License-Identifier: MIT */
/*
 * The clock of recorded events and its translation to CLOCK_MONOTONIC. Events carry ticks: the
 * cycle counter if it is invariant, otherwise nanoseconds. The writer takes a pair (ticks, ns) at
 * each pass and interpolates between its last two, so that time is continuous, never goes
 * backwards, and needs no calibration at start.
 */
#ifndef RT_RECORD_CLOCK_H
#define RT_RECORD_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "format/buffer.h"

/* The same moment on both clocks. */
struct clock_pair {
	uint64_t ticks;
	uint64_t ns;
};

/* A straight line through two pairs; `mult` is ns a tick, with CLOCK_SHIFT bits of fraction. */
struct clock_segment {
	struct clock_pair from;
	uint64_t mult;
};

#define CLOCK_SHIFT 40

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 clock_wide;
#endif

/*
 * Returns true if ticks are cycles of the counter. Any thread; the first call reads the CPU's
 * features.
 */
bool waymark_clock_is_cycles(void);

uint64_t waymark_clock_ticks(void);

/* A barrier: the clock is read after the loads before this call. */
static inline void clock_after_loads(void)
{
#if defined(__x86_64__)
	__asm__ volatile("lfence" ::: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory");
#endif
}

/* A barrier: loads after this call happen after the clock was read. */
static inline void clock_before_loads(void)
{
	clock_after_loads(); /* the same instruction: later ones wait for all earlier ones */
}

/* Reads both clocks as close together as a few tries allow. */
struct clock_pair waymark_clock_pair(void);

/* Reads the three clocks of a trace, as close together as a few tries allow. */
struct buffer_clock waymark_clock_read(void);

/*
 * Returns the three clocks as read when the program was loaded; zero in constructors that run
 * before ours.
 */
struct buffer_clock waymark_clock_loaded(void);

/* Returns ticks a second as the processor reports them; 0 if it does not. */
uint64_t waymark_clock_nominal(void);

/* Returns the line from `from` to `to`, a later pair. */
struct clock_segment waymark_clock_segment(struct clock_pair from, struct clock_pair to);

static inline uint64_t clock_scale(uint64_t ticks, uint64_t mult)
{
#ifdef __SIZEOF_INT128__
	return (uint64_t)((clock_wide)ticks * mult >> CLOCK_SHIFT);
#else
	uint64_t high = (ticks >> 32) * mult;
	uint64_t low = (ticks & UINT32_MAX) * (mult >> 32) +
		       ((ticks & UINT32_MAX) * (mult & UINT32_MAX) >> 32);

	return (high + low) >> (CLOCK_SHIFT - 32);
#endif
}

/* Returns the nanoseconds of a moment, which may be a little before the segment's beginning. */
static inline uint64_t clock_to_ns(const struct clock_segment *s, uint64_t ticks)
{
	if (__builtin_expect(ticks >= s->from.ticks, 1)) {
		return s->from.ns + clock_scale(ticks - s->from.ticks, s->mult);
	}
	return s->from.ns - clock_scale(s->from.ticks - ticks, s->mult);
}

/*
 * These two decide whether the kernel trusts the processor's counter, by the name of the kernel's
 * own clock in sysfs; "" if that is unknown. They compile for any processor, so that tests can call
 * them.
 */

/*
 * Returns true for the generic timer's name. The kernel may use another clock because it does not
 * trust this one, and an emulator shows the clock of the host processor, whose counter has another
 * rate.
 */
static inline bool clock_source_is_arm_counter(const char *kernel)
{
	return strcmp(kernel, "arch_sys_counter") == 0;
}

/*
 * Returns false for the clocks that the kernel uses after it has found the cycle counter to be
 * unreliable. Others (tsc, kvm-clock, hyperv) are the cycle counter, or show nothing about it.
 */
static inline bool clock_source_clears_tsc(const char *kernel)
{
	static const char *const slow[] = { "hpet", "acpi_pm", "pit", "jiffies",
		"refined-jiffies" };

	for (unsigned int i = 0; i < sizeof(slow) / sizeof(slow[0]); i++) {
		if (strcmp(kernel, slow[i]) == 0) {
			return false;
		}
	}
	return true;
}

#endif
