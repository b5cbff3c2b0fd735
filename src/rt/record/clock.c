/* SPDX-License-Identifier: MIT */
/*
 * The clock of events depends only on the machine. The decision is made once, and always has the
 * same result, so threads may race for it and a fork inherits it.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <waymark/record.h>

#include "base/compiler.h"
#include "rt/record/clock.h"

#define CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

#define SECOND UINT64_C(1000000000)
#define READ_TRIES 4

/* How many times a pair is read to find a reading that nothing interrupted. */
#define PAIR_TRIES 4

/* Written once, before main(). Its ticks are cycles if there is a cycle counter. */
static struct buffer_clock loaded;

enum clock_source { CLOCK_UNKNOWN, CLOCK_CYCLES, CLOCK_SYSTEM };

/* Relaxed: every thread that finds it unknown gets the same result. */
static uint32_t source;

#if defined(RT_SYSTEM_CLOCK) /* for tests: as on machines without a cycle counter */

static bool cycles_are_invariant(void)
{
	return false;
}

#elif defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)

/* Reads the name of the kernel's own clock; "" if unknown. */
static void read_clock_source(char *name, size_t size)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, CLOCKSOURCE, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : syscall(SYS_read, fd, name, size - 1);

	name[length > 0 ? length : 0] = '\0';
	name[strcspn(name, "\n")] = '\0';
	if (fd >= 0) {
		syscall(SYS_close, fd);
	}
}

#if defined(__aarch64__)

static bool processor_promises(void)
{
	return true; /* the generic timer is invariant by its architecture */
}

#define KERNEL_AGREES clock_source_is_arm_counter

#else

static bool processor_promises(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d >> 8 & 1);
}

#define KERNEL_AGREES clock_source_clears_tsc

#endif

static bool cycles_are_invariant(void)
{
	char name[32];

	if (!processor_promises()) {
		return false;
	}
	read_clock_source(name, sizeof(name));
	return KERNEL_AGREES(name);
}

#else

static bool cycles_are_invariant(void)
{
	return false;
}

#endif

/* Inline, for each reading of the clock. */
static inline bool is_cycles(void)
{
	uint32_t known = __atomic_load_n(&source, __ATOMIC_RELAXED);

	if (known == CLOCK_UNKNOWN) {
		known = cycles_are_invariant() ? CLOCK_CYCLES : CLOCK_SYSTEM;
		__atomic_store_n(&source, known, __ATOMIC_RELAXED);
	}
	return known == CLOCK_CYCLES;
}

bool waymark_clock_is_cycles(void)
{
	return is_cycles();
}

uint64_t waymark_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t waymark_clock_ticks(void)
{
	return is_cycles() ? waymark_clock_cycles() : waymark_clock_ns();
}

struct clock_pair waymark_clock_pair(void)
{
	struct clock_pair best = { 0, 0 };
	uint64_t narrowest = UINT64_MAX;

	if (!waymark_clock_is_cycles()) {
		best.ticks = best.ns = waymark_clock_ns();
		return best;
	}
	for (int i = 0; i < PAIR_TRIES; i++) {
		uint64_t before = waymark_clock_ticks();
		uint64_t ns = waymark_clock_ns();
		uint64_t after = waymark_clock_ticks();

		if (after - before < narrowest) {
			narrowest = after - before;
			best.ticks = before + (after - before) / 2;
			best.ns = ns;
		}
	}
	return best;
}

/* Returns (ns << CLOCK_SHIFT) / ticks, rounded down, so that no line overshoots its end. */
static uint64_t slope(uint64_t ns, uint64_t ticks)
{
#ifdef __SIZEOF_INT128__
	return (uint64_t)(((clock_wide)ns << CLOCK_SHIFT) / ticks);
#else
	uint64_t mult = ns / ticks;
	uint64_t rest = ns % ticks;

	/* Twice the remainder may have more than 64 bits. */
	for (unsigned int i = 0; i < CLOCK_SHIFT; i++) {
		bool more = rest >= ticks - rest;

		mult = mult << 1 | more;
		rest = more ? rest - (ticks - rest) : rest + rest;
	}
	return mult;
#endif
}

struct clock_segment waymark_clock_segment(struct clock_pair from, struct clock_pair to)
{
	struct clock_segment s = { .from = from, .mult = UINT64_C(1) << CLOCK_SHIFT };

	if (to.ticks > from.ticks && to.ns >= from.ns) {
		s.mult = slope(to.ns - from.ns, to.ticks - from.ticks);
	}
	return s;
}

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

/* Computes the rate from its ratio to the crystal and the crystal's frequency. */
static uint64_t rate_of_processor(void)
{
	unsigned int denominator, numerator, hz, unused;

	if (!__get_cpuid(0x15, &denominator, &numerator, &hz, &unused) || !denominator) {
		return 0;
	}
	return (uint64_t)hz * numerator / denominator;
}

/* Reads the rate from a leaf that several hypervisors have in common, which is in kHz. */
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
