/* SPDX-License-Identifier: MIT */
/*
 * Fires scopes of all shapes, by the fields of declared events: lanes KIND EVENTS OPEN
 *
 *	plain		events that are no scopes
 *	nested		scopes of the thread, one inside the other
 *	crossing	scopes of the thread that end in any order
 *	async		asynchronous scopes with numbers of their own, at most OPEN at one time
 *	queue		the same, and the oldest ends first
 *	reused		the same with OPEN numbers that are used again and again
 *	again		as reused, scopes of the thread
 *	ends		OPEN ends without beginnings, then as queue
 *	odd		as reused; some scopes begin twice, some ends have no beginning
 *	mixed		all of them, by two threads; a scope may end in the other thread
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "trace-lanes.h"

#define FIRST_SYNC (INT64_C(1) << 31)
#define OPEN_MAX 131072

static long open_max;
static long events;

/* A thread's own state; in `mixed`, threads take turns. */
struct thread {
	uint32_t tid;
	unsigned int seed;
	int64_t next; /* number of the next scope */
	int64_t open[OPEN_MAX];
	uint32_t tids[OPEN_MAX];
	long count;
	int64_t clock_ns; /* of wait_for_clock() */
};

static struct thread threads[2];

static unsigned int any(struct thread *t, long below)
{
	t->seed = t->seed * 1664525u + 1013904223u;
	return (t->seed >> 8) % (unsigned int)below;
}

static void begin(int64_t scope)
{
	if (scope % 3) {
		trace_wait(scope, 1);
	} else {
		trace_load(scope, 2);
	}
}

static void end(int64_t scope, uint32_t tid)
{
	if (scope % 3) {
		trace_wait_end(scope, tid);
	} else {
		trace_load_end(scope, tid);
	}
}

static void fire_plain(struct thread *t)
{
	trace_note(t->next++, t->tid);
}

static void fire_nested(struct thread *t)
{
	if (t->count < open_max && any(t, 2)) {
		t->open[t->count++] = t->next;
		begin(FIRST_SYNC + t->next++);
	} else if (t->count > 0) {
		end(FIRST_SYNC + t->open[--t->count], t->tid);
	}
}

/* Begins a scope, or ends any of those that are open. */
static void fire_any(struct thread *t, int64_t first)
{
	if (t->count < open_max && any(t, 16) < 8 + 8 * (t->count < open_max / 2)) {
		t->tids[t->count] = t->tid;
		t->open[t->count++] = first + t->next;
		begin(first + t->next++);
	} else if (t->count > 0) {
		long at = any(t, t->count);

		end(t->open[at], t->tids[at]);
		t->open[at] = t->open[--t->count];
		t->tids[at] = t->tids[t->count];
	}
}

static void fire_crossing(struct thread *t)
{
	fire_any(t, FIRST_SYNC);
}

static void fire_async(struct thread *t)
{
	fire_any(t, 0);
}

static void fire_queue(struct thread *t)
{
	if (t->count < open_max) {
		begin(t->next + t->count++);
	} else {
		end(t->next++, t->tid);
		t->count--;
	}
}

static void fire_ends(struct thread *t)
{
	static long ends;

	if (ends < open_max) {
		end(1000000000 + ends++, t->tid);
	} else {
		fire_queue(t);
	}
}

static void fire_slot(struct thread *t, int64_t first, bool is_odd)
{
	long at = any(t, open_max);

	if ((t->open[at] == 0) != is_odd) {
		begin(first + at);
	} else {
		end(first + at, t->tid);
	}
	t->open[at] = !t->open[at];
}

static void fire_reused(struct thread *t)
{
	fire_slot(t, 0, false);
}

/*
 * Waits until the clock has advanced since the last call. Scopes of a thread that begin at one time
 * have the order of their numbers, which increase in programs, but not in `again`.
 */
static void wait_for_clock(struct thread *t)
{
	struct timespec now;
	int64_t ns;

	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
		ns = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
	} while (ns < t->clock_ns + 20);
	t->clock_ns = ns;
}

static void fire_again(struct thread *t)
{
	wait_for_clock(t);
	fire_slot(t, FIRST_SYNC, false);
}

static void fire_odd(struct thread *t)
{
	fire_slot(t, 0, any(t, 1024) == 0);
}

static void fire_mixed(struct thread *t)
{
	struct thread *other = &threads[t == threads];

	switch (any(t, 8)) {
	case 0:
		fire_plain(t);
		break;
	case 1: /* an asynchronous scope of the other thread */
		if (other->count > 0 && other->open[other->count - 1] < FIRST_SYNC) {
			other->count--;
			end(other->open[other->count], other->tids[other->count]);
		}
		break;
	case 2:
	case 3:
		fire_crossing(t);
		break;
	default:
		fire_async(t);
		break;
	}
}

static const struct {
	const char *name;
	void (*fire)(struct thread *t);
} kinds[] = {
	{ "plain", fire_plain },
	{ "nested", fire_nested },
	{ "crossing", fire_crossing },
	{ "async", fire_async },
	{ "queue", fire_queue },
	{ "reused", fire_reused },
	{ "again", fire_again },
	{ "ends", fire_ends },
	{ "odd", fire_odd },
	{ "mixed", fire_mixed },
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *run_mixed(void *thread)
{
	struct thread *t = thread;

	pthread_mutex_lock(&lock);
	t->tid = (uint32_t)gettid();
	pthread_mutex_unlock(&lock);
	for (long i = 0; i < events / 2; i++) {
		pthread_mutex_lock(&lock);
		fire_mixed(t);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void run(void (*fire)(struct thread *t))
{
	pthread_t other;

	threads[0] = (struct thread){ .tid = (uint32_t)gettid(), .seed = 1 };
	threads[1] = (struct thread){ .seed = 2 };
	if (fire == fire_mixed) {
		pthread_create(&other, NULL, run_mixed, &threads[1]);
		run_mixed(&threads[0]);
		pthread_join(other, NULL);
		return;
	}
	for (long i = 0; i < events; i++) {
		fire(&threads[0]);
	}
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		return 2;
	}
	events = atol(argv[2]);
	open_max = atol(argv[3]);
	if (open_max < 1 || open_max > OPEN_MAX) {
		return 2;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, argv[1]) == 0) {
			run(kinds[i].fire);
			return 0;
		}
	}
	return 2;
}
