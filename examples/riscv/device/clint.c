/* SPDX-License-Identifier: MIT */
/*
 * Software interrupts, and a thread that sleeps until the next timer interrupt.
 * The lock guards the times, and that a hart's pending bit agrees with them.
 */
#include <errno.h>
#include <stdlib.h>

#include "device/devices.h"
#include "device/trace.h"
#include "machine/clock.h"
#include "machine/machine.h"

#define COMPARE 0x4000
#define TIME 0xbff8
#define SIZE 0xc000
#define LONGEST (3600 * CLOCK_TICKS) /* a sleep */

struct clint {
	struct machine *machine;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t compare[MACHINE_HARTS];
	bool armed[MACHINE_HARTS]; /* its time is still to come */
	bool ends;
	pthread_t thread;
};

static bool load_compare(struct clint *clint, unsigned int hart, uint64_t *value)
{
	pthread_mutex_lock(&clint->lock);
	*value = clint->compare[hart];
	pthread_mutex_unlock(&clint->lock);
	return true;
}

static bool load_software(const struct clint *clint, unsigned int hart, uint64_t *value)
{
	const struct hart *h = &clint->machine->harts[hart];

	*value = (__atomic_load_n(&h->interrupts, __ATOMIC_ACQUIRE) & HART_SOFTWARE) != 0;
	return true;
}

static bool load(void *opaque, uint64_t offset, unsigned int size, uint64_t *value)
{
	struct clint *clint = opaque;
	uint64_t harts = clint->machine->hart_count;

	if (size == 4 && offset / 4 < harts) {
		return load_software(clint, offset / 4, value);
	}
	if (size == 8 && offset >= COMPARE && (offset - COMPARE) / 8 < harts) {
		return load_compare(clint, (offset - COMPARE) / 8, value);
	}
	*value = clock_ticks();
	return size == 8 && offset == TIME;
}

static bool store_software(struct clint *clint, unsigned int hart, bool pending)
{
	trace_clint_software(hart, pending);
	(pending ? hart_raise : hart_lower)(&clint->machine->harts[hart], HART_SOFTWARE);
	return true;
}

static bool store_compare(struct clint *clint, unsigned int hart, uint64_t ticks)
{
	trace_clint_compare(hart, ticks);
	pthread_mutex_lock(&clint->lock);
	clint->compare[hart] = ticks;
	clint->armed[hart] = true;
	hart_lower(&clint->machine->harts[hart], HART_TIMER);
	pthread_cond_signal(&clint->changed);
	pthread_mutex_unlock(&clint->lock);
	return true;
}

static bool store(void *opaque, uint64_t offset, unsigned int size, uint64_t value)
{
	struct clint *clint = opaque;
	uint64_t harts = clint->machine->hart_count;

	if (size == 4 && offset / 4 < harts) {
		return store_software(clint, offset / 4, value & 1);
	}
	return size == 8 && offset >= COMPARE && (offset - COMPARE) / 8 < harts &&
	       store_compare(clint, (offset - COMPARE) / 8, value);
}

/* Raises what is due. Returns how long there is nothing else to do. */
static uint64_t expire(struct clint *clint, uint64_t now)
{
	uint64_t left = LONGEST;

	for (unsigned int i = 0; i < clint->machine->hart_count; i++) {
		uint64_t compare = clint->compare[i];

		if (clint->armed[i] && compare <= now) {
			clint->armed[i] = false;
			trace_clint_expire(i, now - compare);
			hart_raise(&clint->machine->harts[i], HART_TIMER);
		} else if (clint->armed[i] && compare - now < left) {
			left = compare - now;
		}
	}
	return left;
}

static void *clint_thread(void *opaque)
{
	struct clint *clint = opaque;

	pthread_mutex_lock(&clint->lock);
	while (!clint->ends) {
		uint64_t now = clock_ticks();
		uint64_t until = now + expire(clint, now);
		struct timespec time = { .tv_sec = until / CLOCK_TICKS,
			.tv_nsec = until % CLOCK_TICKS * CLOCK_TICK_NS };

		pthread_cond_timedwait(&clint->changed, &clint->lock, &time);
	}
	pthread_mutex_unlock(&clint->lock);
	return NULL;
}

static void init_lock(struct clint *clint)
{
	pthread_condattr_t attributes;

	pthread_mutex_init(&clint->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&clint->changed, &attributes);
	pthread_condattr_destroy(&attributes);
}

struct clint *clint_create(struct machine *machine)
{
	struct clint *clint = calloc(1, sizeof(*clint));

	if (!clint) {
		return NULL;
	}
	clint->machine = machine;
	init_lock(clint);
	errno = pthread_create(&clint->thread, NULL, clint_thread, clint);
	if (errno) {
		free(clint);
		return NULL;
	}
	bus_add(&machine->bus, &(struct device){ .name = "clint",
				       .base = CLINT_BASE,
				       .size = SIZE,
				       .load = load,
				       .store = store,
				       .opaque = clint });
	return clint;
}

void clint_destroy(struct clint *clint)
{
	if (!clint) {
		return;
	}
	pthread_mutex_lock(&clint->lock);
	clint->ends = true;
	pthread_cond_signal(&clint->changed);
	pthread_mutex_unlock(&clint->lock);
	pthread_join(clint->thread, NULL);
	pthread_cond_destroy(&clint->changed);
	pthread_mutex_destroy(&clint->lock);
	free(clint);
}
