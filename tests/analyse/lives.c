/* SPDX-License-Identifier: MIT */
/*
 * lives MODE SEED EVENTS: makes lives of objects for track.py. Events of one object are never at
 * the same time, as a lock is held around them.
 *
 *	random   four threads fire random events of few objects: reuse, missing begins and ends
 *	killed   the same, and the process kills itself when half of the events are fired
 *	relay    each object takes the same path over two threads, one of which fires much noise
 *	         after the first objects
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace-lives.h"

#define THREADS 4
#define OBJECTS 12
#define QUIET 1000 /* objects before the noise */

static struct object {
	pthread_mutex_t lock;
	unsigned int state;
} objects[OBJECTS];

static const char *const names[] = { "disk", "", NULL, "a name, with \"quotes\"" };

static int events;
static unsigned int seed;
static int is_killed;
static int fired;

/* Returns a number below `n`, by a generator of its own: the same on every system. */
static unsigned int below(uint64_t *random, unsigned int n)
{
	*random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned int)(*random >> 33) % n;
}

static void fire(struct object *o, unsigned int what, uint64_t *random)
{
	int queue = (int)below(random, 3);

	switch (what) {
	case 0:
		trace_life_submit(o, queue);
		break;
	case 1:
		trace_life_queue(o, below(random, 9));
		break;
	case 2:
		trace_life_issue(o, queue);
		break;
	case 3:
		trace_life_done(o, -queue);
		break;
	case 4:
		trace_life_note(o, queue);
		break;
	case 5:
		trace_life_named(names[below(random, 4)], queue);
		break;
	default:
		trace_life_named_again(names[below(random, 4)], queue);
		break;
	}
}

/* Mostly the next event of the usual path, sometimes any. */
static unsigned int next_of(struct object *o, uint64_t *random)
{
	unsigned int chance = below(random, 20);

	if (chance < 2) {
		return below(random, 5);
	}
	if (chance > 3) {
		o->state = (o->state + 1) % 4;
	}
	return o->state;
}

static void *work(void *number)
{
	uint64_t random = seed * UINT64_C(977) + (uintptr_t)number;

	for (int i = 0; i < events / THREADS; i++) {
		struct object *o = &objects[below(&random, OBJECTS)];
		/* Texts have no object; the first object's lock orders their events. */
		int is_text = below(&random, 8) == 0;

		o = is_text ? &objects[0] : o;
		pthread_mutex_lock(&o->lock);
		fire(o, is_text ? 5 + below(&random, 2) : next_of(o, &random), &random);
		pthread_mutex_unlock(&o->lock);
		if (__atomic_add_fetch(&fired, 1, __ATOMIC_RELAXED) == events / 2 && is_killed) {
			kill(getpid(), SIGKILL);
		}
	}
	return NULL;
}

static void run_random(void)
{
	pthread_t threads[THREADS];

	for (size_t i = 0; i < OBJECTS; i++) {
		pthread_mutex_init(&objects[i].lock, NULL);
	}
	for (uintptr_t i = 0; i < THREADS; i++) {
		pthread_create(&threads[i], NULL, work, (void *)i);
	}
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
	}
}

static void run_killed(void)
{
	is_killed = 1;
	run_random();
}

/* ---- Relay ---- */

static int turn;

/* Waits a little more, since a processor may read its clock before an earlier load. */
static void await(int value)
{
	while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != value) {
	}
	for (volatile int i = 0; i < 100; i++) {
	}
}

static void pass(int value)
{
	__atomic_store_n(&turn, value, __ATOMIC_RELEASE);
}

static void *relay(void *unused)
{
	(void)unused;
	for (int i = 1; i <= events; i++) {
		await(2 * i - 1);
		trace_life_issue((void *)(uintptr_t)i, 0);
		pass(2 * i);
		for (int n = 0; i > QUIET && i % 64 < 32 && n < 40; n++) {
			trace_life_noise(n);
		}
	}
	return NULL;
}

static void run_relay(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, relay, NULL);
	for (int i = 1; i <= events; i++) {
		trace_life_submit((void *)(uintptr_t)i, 0);
		trace_life_queue((void *)(uintptr_t)i, 0);
		pass(2 * i - 1);
		await(2 * i);
		trace_life_done((void *)(uintptr_t)i, 0);
	}
	pthread_join(thread, NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = {
	{ "random", run_random },
	{ "killed", run_killed },
	{ "relay", run_relay },
};

int main(int argc, char **argv)
{
	seed = argc > 2 ? (unsigned int)atoi(argv[2]) : 1;
	events = argc > 3 ? atoi(argv[3]) : 1000;
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(argv[1], modes[i].name) == 0) {
			modes[i].run();
			return EXIT_SUCCESS;
		}
	}
	fputs("usage: lives MODE SEED EVENTS\n", stderr);
	return EXIT_FAILURE;
}
