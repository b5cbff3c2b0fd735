/* SPDX-License-Identifier: MIT */
/*
 * The rate of the clock of events, known as early as possible: a trace's metadata begins
 * with it. The three clocks are read when the program is loaded, which takes no system
 * call. A trace that begins a millisecond later or more uses the rate measured since;
 * an earlier one uses what the processor reports.
 */
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#include <string.h>
#include <time.h>

#include <waymark/record.h>

#include "rt/record/clock.h"

#define SECOND UINT64_C(1000000000)
#define READ_TRIES 4

/* Written once, before main(). Its ticks are cycles, wherever there are any. */
static struct buffer_clock loaded;

static uint64_t realtime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* Reads the clocks as close together as a few tries allow. */
static struct buffer_clock read_clocks(uint32_t cycles)
{
	struct waymark_cursor c = { .cycles = cycles };
	struct buffer_clock best = { 0 };
	uint64_t narrowest = UINT64_MAX;

	for (int i = 0; i < READ_TRIES; i++) {
		uint64_t before = waymark_clock(&c);
		uint64_t real = realtime_ns();
		uint64_t monotonic = waymark_clock_ns();
		uint64_t after = waymark_clock(&c);

		if (after - before < narrowest) {
			narrowest = after - before;
			best.ticks = cycles ? before + (after - before) / 2 : monotonic;
			best.monotonic_ns = monotonic;
			best.realtime_ns = real;
		}
	}
	return best;
}

__attribute__((constructor(101))) static void read_clocks_at_load(void)
{
	loaded = read_clocks(1);
}

struct buffer_clock waymark_clock_read(void)
{
	return read_clocks(waymark_clock_is_cycles());
}

struct buffer_clock waymark_clock_loaded(void)
{
	struct buffer_clock c = loaded;

	if (!waymark_clock_is_cycles()) {
		c.ticks = c.monotonic_ns;
	}
	return c;
}

#if defined(__x86_64__) || defined(__i386__)

/* The ratio to the crystal, and the crystal's frequency. */
static uint64_t rate_of_processor(void)
{
	unsigned int denominator, numerator, hz, unused;

	if (!__get_cpuid(0x15, &denominator, &numerator, &hz, &unused) || !denominator) {
		return 0;
	}
	return (uint64_t)hz * numerator / denominator;
}

/* From the leaf that several hypervisors have in common, in kHz. */
static uint64_t rate_of_hypervisor(void)
{
	unsigned int a, b, c, d;
	unsigned int name[3];

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 31)) {
		return 0;
	}
	__cpuid(0x40000000, a, name[0], name[1], name[2]);
	if (a < 0x40000010 || (memcmp(name, "KVMKVMKVM\0\0\0", sizeof(name)) != 0 &&
				      memcmp(name, "VMwareVMware", sizeof(name)) != 0)) {
		return 0;
	}
	__cpuid(0x40000010, a, b, c, d);
	return (uint64_t)a * 1000;
}

static uint64_t cycles_a_second(void)
{
	uint64_t rate = rate_of_processor();

	return rate ? rate : rate_of_hypervisor();
}

#elif defined(__aarch64__)

static uint64_t cycles_a_second(void)
{
	uint64_t rate;

	__asm__ volatile("mrs %0, cntfrq_el0" : "=r"(rate));
	return rate;
}

#else

static uint64_t cycles_a_second(void)
{
	return 0;
}

#endif

uint64_t waymark_clock_nominal(void)
{
	return waymark_clock_is_cycles() ? cycles_a_second() : SECOND;
}
