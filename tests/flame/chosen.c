/* SPDX-License-Identifier: MIT */
/*
 * chosen SEED EVENTS: threads that take turns and begin and end scopes and visits at random: mostly
 * the innermost scope ends, sometimes another one, or one of another thread; some are asynchronous,
 * begin twice, end without a begin, or never end.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace-chosen.h"

#define THREADS 3
#define OPEN_MAX 6 /* of a thread */

struct scope {
	int64_t number;
	uint32_t tid;
	int is_two;
};

struct thread {
	struct scope open[OPEN_MAX];
	unsigned int count;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct thread threads[THREADS];
static uint64_t random_state;
static int64_t last_number = INT64_C(1) << 31;
static int events;

static unsigned int below(unsigned int n)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned int)(random_state >> 33) % n;
}

static void begin(const struct scope *s)
{
	if (s->is_two) {
		trace_scope_two(s->number, (int)below(10));
	} else {
		trace_scope_one(s->number, (int)below(10));
	}
}

static void begin_new(struct thread *t)
{
	struct scope s = {
		.number = below(8) == 0 ? last_number - (INT64_C(1) << 31) : last_number,
		.tid = (uint32_t)syscall(SYS_gettid),
		.is_two = (int)below(2),
	};

	last_number++;
	begin(&s);
	if (below(200)) {
		t->open[t->count++] = s;
	}
}

static void end(struct thread *t, unsigned int at)
{
	const struct scope s = t->open[at];

	if (s.is_two) {
		trace_scope_two_end(s.number, s.tid);
	} else {
		trace_scope_one_end(s.number, s.tid);
	}
	t->count--;
	for (unsigned int i = at; i < t->count; i++) {
		t->open[i] = t->open[i + 1];
	}
}

static void end_some(struct thread *t)
{
	unsigned int chance = below(20);

	if (chance == 0) {
		t = &threads[below(THREADS)];
	}
	if (t->count > 0) {
		end(t, chance < 4 ? below(t->count) : t->count - 1);
	}
}

static void visit(void)
{
	switch (below(4)) {
	case 0:
		trace_visit_from((int)below(10));
		break;
	case 1:
		trace_visit_to((int)below(10));
		break;
	default:
		trace_visit_part((int)below(10));
		break;
	}
}

static void act(struct thread *t)
{
	unsigned int chance = below(100);

	if (chance < 35 && t->count < OPEN_MAX) {
		begin_new(t);
	} else if (chance < 70) {
		end_some(t);
	} else if (chance < 98) {
		visit();
	} else if (chance < 99) {
		trace_scope_one_end(last_number + 1000000, 1);
	} else if (t->count > 0) {
		begin(&t->open[below(t->count)]);
	}
}

static void *run(void *thread)
{
	int is_more = 1;

	while (is_more) {
		pthread_mutex_lock(&lock);
		for (unsigned int turns = below(20); turns > 0 && events > 0; turns--) {
			events--;
			act(thread);
		}
		is_more = events > 0;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t ids[THREADS];

	random_state = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	events = argc > 2 ? atoi(argv[2]) : 0;
	for (size_t i = 0; i < THREADS; i++) {
		pthread_create(&ids[i], NULL, run, &threads[i]);
	}
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(ids[i], NULL);
	}
	return EXIT_SUCCESS;
}
