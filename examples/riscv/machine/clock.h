/* SPDX-License-Identifier: MIT */
/* The guest's time: ticks of 100 ns of the host's monotonic clock. Any thread may ask. */
#ifndef RISCV_MACHINE_CLOCK_H
#define RISCV_MACHINE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define CLOCK_TICKS UINT64_C(10000000) /* a second */
#define CLOCK_TICK_NS (1000000000 / CLOCK_TICKS)

static inline uint64_t clock_ticks(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * CLOCK_TICKS + now.tv_nsec / CLOCK_TICK_NS;
}

#endif
