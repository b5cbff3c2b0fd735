/* SPDX-License-Identifier: MIT */
/* Software and timer interrupts of the harts. devices.h has the registers. */
#ifndef RISCV_CLINT_H
#define RISCV_CLINT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define CLINT_TICKS UINT64_C(10000000) /* per second */
#define CLINT_TICK_NS (1000000000 / CLINT_TICKS)
#define CLINT_HARTS 4 /* at most */

struct machine;

struct clint {
	pthread_mutex_t lock; /* protects the times, and keeps pending bits consistent with them */
	pthread_cond_t changed;
	uint64_t compare[CLINT_HARTS];
	bool armed[CLINT_HARTS]; /* `compare` is in the future */
	bool stop;
	pthread_t thread;
};

/* The guest's time: the host's monotonic clock. */
static inline uint64_t clint_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * CLINT_TICKS + now.tv_nsec / CLINT_TICK_NS;
}

/* Starts the thread that raises timer interrupts. Returns 0 or an errno. */
int clint_start(struct machine *machine);
void clint_stop(struct machine *machine); /* call when no hart runs */

/* Functions of the table of devices. */
bool clint_load(struct machine *machine, uint64_t offset, unsigned int size, uint64_t *value);
bool clint_store(struct machine *machine, uint64_t offset, unsigned int size, uint64_t value);

#endif
