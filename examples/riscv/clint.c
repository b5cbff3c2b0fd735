/* SPDX-License-Identifier: MIT */
/* The registers of devices.h, and a thread that sleeps until the next timer interrupt is due. */
#include "clint.h"

#include "devices.h"
#include "machine.h"
#include "trace-riscv.h"

#define LONGEST (3600 * CLINT_TICKS) /* the thread's longest sleep */

/* Returns true if `offset` is hart `*hart`'s register of an array of registers. */
static bool is_register(const struct machine *machine, uint64_t offset, uint64_t array,
	unsigned int size, unsigned int *hart)
{
	*hart = (offset - array) / size;
	return offset >= array && offset < array + size * machine->hart_count;
}

bool clint_load(struct machine *machine, uint64_t offset, unsigned int size, uint64_t *value)
{
	struct clint *clint = &machine->clint;
	unsigned int hart;

	if (size == 4 && is_register(machine, offset, CLINT_SOFTWARE, size, &hart)) {
		*value = (hart_pending(&machine->harts[hart]) & HART_SOFTWARE) != 0;
		return true;
	}
	if (size == 8 && is_register(machine, offset, CLINT_COMPARE, size, &hart)) {
		pthread_mutex_lock(&clint->lock);
		*value = clint->compare[hart];
		pthread_mutex_unlock(&clint->lock);
		return true;
	}
	*value = clint_time();
	return size == 8 && offset == CLINT_TIME;
}

bool clint_store(struct machine *machine, uint64_t offset, unsigned int size, uint64_t value)
{
	struct clint *clint = &machine->clint;
	unsigned int hart;

	if (size == 4 && is_register(machine, offset, CLINT_SOFTWARE, size, &hart)) {
		trace_clint_software(hart, value & 1);
		(value & 1 ? hart_raise : hart_lower)(&machine->harts[hart], HART_SOFTWARE);
		return true;
	}
	if (size == 8 && is_register(machine, offset, CLINT_COMPARE, size, &hart)) {
		trace_clint_compare(hart, value);
		pthread_mutex_lock(&clint->lock);
		clint->compare[hart] = value;
		clint->armed[hart] = true;
		hart_lower(&machine->harts[hart], HART_TIMER);
		pthread_cond_signal(&clint->changed);
		pthread_mutex_unlock(&clint->lock);
		return true;
	}
	return false;
}

/* Raises the interrupts that are due. Returns the time of the next interrupt. */
static uint64_t expire(struct machine *machine, uint64_t now)
{
	struct clint *clint = &machine->clint;
	uint64_t next = now + LONGEST;

	for (unsigned int i = 0; i < machine->hart_count; i++) {
		uint64_t compare = clint->compare[i];

		if (clint->armed[i] && compare <= now) {
			clint->armed[i] = false;
			trace_clint_expire(i, now - compare);
			hart_raise(&machine->harts[i], HART_TIMER);
		} else if (clint->armed[i] && compare < next) {
			next = compare;
		}
	}
	return next;
}

static void *clint_thread(void *opaque)
{
	struct machine *machine = opaque;
	struct clint *clint = &machine->clint;

	pthread_mutex_lock(&clint->lock);
	while (!clint->stop) {
		uint64_t next = expire(machine, clint_time());
		struct timespec time = { .tv_sec = next / CLINT_TICKS,
			.tv_nsec = next % CLINT_TICKS * CLINT_TICK_NS };

		pthread_cond_timedwait(&clint->changed, &clint->lock, &time);
	}
	pthread_mutex_unlock(&clint->lock);
	return NULL;
}

int clint_start(struct machine *machine)
{
	struct clint *clint = &machine->clint;
	pthread_condattr_t attributes;

	pthread_mutex_init(&clint->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&clint->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	return pthread_create(&clint->thread, NULL, clint_thread, machine);
}

void clint_stop(struct machine *machine)
{
	struct clint *clint = &machine->clint;

	pthread_mutex_lock(&clint->lock);
	clint->stop = true;
	pthread_cond_signal(&clint->changed);
	pthread_mutex_unlock(&clint->lock);
	pthread_join(clint->thread, NULL);
	pthread_cond_destroy(&clint->changed);
	pthread_mutex_destroy(&clint->lock);
}
