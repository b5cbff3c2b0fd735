/* SPDX-License-Identifier: MIT */
/*
 * Arguments, clocks, threads, medians and results of all benchmarks.
 * A benchmark is called as `PROGRAM key=value...` and prints lines `name value`,
 * which run.py collects over its rounds. It exits with 1 after an error, with 77 if
 * this machine cannot measure it.
 */
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>

#define NOINLINE __attribute__((noinline))

/* Stores the arguments of main() for the lookups below. */
void bench_init(int argc, char **argv);
uint64_t bench_number(const char *key, uint64_t otherwise);
const char *bench_text(const char *key, const char *otherwise);

noreturn void bench_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
noreturn void bench_skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints one result. */
void bench_result(const char *name, double value);

/* Nanoseconds: wall time; CPU time of this thread, of all threads of the process. */
double bench_now(void);
double bench_thread_cpu(void);
double bench_process_cpu(void);

/* The cycle counter as the recorders read it, and its ticks in a nanosecond. */
static inline uint64_t bench_ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
#error "the benchmarks read the cycle counter of x86-64 or arm64"
#endif
}

double bench_ticks_per_ns(void);

/* Returns the clock's step in ticks: the smallest usual difference of two readings. */
uint64_t bench_clock_step(void);

/* Sorts the values, and returns the median. */
double bench_median(double *values, size_t count);

/*
 * Runs `lanes` threads that begin together, each pinned to a processor unless
 * pin=0 was given; `run` gets the element of `context` with its number.
 */
void bench_threads(unsigned int lanes, void (*run)(void *lane), void *context, size_t size);

#endif
