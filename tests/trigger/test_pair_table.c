/* SPDX-License-Identifier: MIT */
/* The table of calls that wait for their partner (src/rt/event/pair_table.h). */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rt/event/pairing.h"

#define THREADS 4u
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define ROUNDS 2000u
#else
#define ROUNDS 20000u
#endif

static uint64_t random_state;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static struct pair_table *new_table(void)
{
	struct pair_table *t = aligned_alloc(64, sizeof(*t));

	assert_non_null(t);
	*t = (struct pair_table){ 0 };
	return t;
}

/* Random calls of numbers below `numbers`, times `step`, beside an array of those that are open. */
static void check_random(uint64_t numbers, uint64_t step)
{
	struct pair_table *t = new_table();
	uint64_t *open = calloc(numbers, sizeof(*open));

	for (uint64_t now = 1; now < 40 * numbers + 1000; now++) {
		uint64_t i = next_random() % numbers;
		uint64_t ticks = 0;

		if (next_random() % 2) {
			waymark_pair_enter(t, i * step, 7, now);
			open[i] = now;
			continue;
		}
		bool is_found = waymark_pair_take(t, i * step, 7, &ticks);

		if (is_found != (open[i] != 0) || ticks != open[i]) {
			fail_msg("number %llu of %llu, step %llu: %llu, not %llu",
				(unsigned long long)i, (unsigned long long)numbers,
				(unsigned long long)step, (unsigned long long)ticks,
				(unsigned long long)open[i]);
		}
		open[i] = 0;
	}
	free(open);
	free(t);
}

static void test_each_number_has_its_last_call(void **state)
{
	static const uint64_t steps[] = { 1, 16, 48, 4096, UINT64_C(1) << 40, UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		check_random(1, steps[i]);
		check_random(5, steps[i]);
		check_random(100, steps[i]);
		check_random(10000, steps[i]);
	}
}

static void test_calls_without_an_end_make_room(void **state)
{
	struct pair_table *t = new_table();
	uint64_t ticks;

	(void)state;
	for (uint64_t i = 0; i < 400000; i++) {
		waymark_pair_enter(t, i, 0, i + 1);
	}
	assert_in_range(pair_forgotten(t), 400000 - PAIR_WINDOWS_MAX * PAIR_WINDOW, 400000);
	for (uint64_t i = 1000000; i < 1050000; i++) {
		waymark_pair_enter(t, i, 0, i);
		assert_true(waymark_pair_take(t, i, 0, &ticks));
		assert_int_equal(ticks, i);
	}
	assert_false(waymark_pair_take(t, 0, 0, &ticks));
	free(t);
}

static void test_ends_without_a_begin_cost_little_later(void **state)
{
	struct pair_table *t = new_table();
	uint64_t ticks;

	(void)state;
	waymark_pair_enter(t, 1, 0, 5);
	for (uint64_t i = 10; i < 5000; i++) {
		assert_false(waymark_pair_take(t, i, 0, &ticks));
	}
	assert_int_not_equal(t->grown, 0);
	assert_true(waymark_pair_take(t, 1, 1, &ticks));
	assert_int_equal(ticks, 5);
	free(t);
}

/* Number 42 is begun by thread 0, which never ends it, and later by thread 1. */
static struct pair_table *begun_twice(void)
{
	struct pair_table *t = new_table();

	waymark_pair_enter(t, 42, 0, 5);
	waymark_pair_enter(t, 42, 1, 100);
	return t;
}

static void test_the_last_of_several_begins_counts(void **state)
{
	struct pair_table *t = begun_twice();
	uint64_t ticks;

	(void)state;
	assert_true(waymark_pair_take(t, 42, 2, &ticks)); /* another thread ends it */
	assert_int_equal(ticks, 100);
	assert_false(waymark_pair_take(t, 42, 0, &ticks));
	free(t);

	t = begun_twice();
	assert_true(waymark_pair_take(t, 42, 1, &ticks));
	assert_int_equal(ticks, 100);
	free(t);

	t = begun_twice();
	for (uint64_t i = 100; i < 120; i++) {
		waymark_pair_enter(t, i, 3, i); /* the table grows */
	}
	assert_int_not_equal(t->grown, 0);
	assert_true(waymark_pair_take(t, 42, 0, &ticks));
	assert_int_equal(ticks, 100);
	assert_false(waymark_pair_take(t, 42, 1, &ticks));
	free(t);
}

static void test_a_reserved_place_costs_no_other_calls(void **state)
{
	struct pair_table *t = new_table();
	uint64_t ticks;

	(void)state;
	for (uint64_t i = 0; i < 2000000; i++) {
		waymark_pair_enter(t, i, 0, i + 1);
	}
	for (size_t i = 0; i < PAIR_WINDOWS_MAX; i++) {
		t->windows[i].places[0] = (struct pair_place){ UINT64_MAX, 0 };
	}
	uint64_t before = pair_forgotten(t);

	for (uint64_t i = 3000000; i < 3001000; i++) {
		waymark_pair_enter(t, i, 0, i);
		assert_true(waymark_pair_take(t, i, 0, &ticks));
		assert_int_equal(ticks, i);
	}
	assert_int_not_equal(pair_forgotten(t), before);
	free(t);
}

static void test_a_child_begins_with_none(void **state)
{
	static const char name[] = "elapsed(a by b)";
	struct waymark_error error;
	struct pairing *p = waymark_pairing_new(name, strlen(name), &error);
	uint64_t ticks;
	int status;

	(void)state;
	assert_non_null(p);
	waymark_pair_enter(p->table, 1, 0, 5);
	p->table->movers = 1; /* a thread of the parent moves calls */
	p->table->windows[0].places[7] = (struct pair_place){ UINT64_MAX, 0 };
	pid_t pid = fork();

	if (pid == 0) {
		static const struct pair_place none;
		bool is_clean = !waymark_pair_take(p->table, 1, 0, &ticks) && !p->table->movers &&
				memcmp(&p->table->windows[0].places[7], &none, sizeof(none)) == 0;

		_exit(is_clean ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(waymark_pair_take(p->table, 1, 0, &ticks));
	waymark_pairing_release(p);
}

/* ---- Threads ---- */

/* Each thread begins numbers of its own; the next thread ends them, or the thread itself does. */
struct worker {
	pthread_t thread;
	struct pair_table *table;
	struct worker *ends; /* whose calls it ends */
	unsigned int number;
	unsigned int most; /* of its calls that are open */
	uint64_t begun; /* calls; by release */
	uint64_t ended; /* by the thread that ends them; by release */
	uint64_t missing; /* calls that it did not find */
};

static uint64_t number_of(const struct worker *w, uint64_t i)
{
	return (w->number + i * THREADS) * 8;
}

/* Returns false if there is none to end. */
static bool end_one(struct worker *w)
{
	struct worker *from = w->ends;
	uint64_t i = from->ended;
	uint64_t ticks = 0;

	if (i == __atomic_load_n(&from->begun, __ATOMIC_ACQUIRE)) {
		return false;
	}
	bool is_found = waymark_pair_take(w->table, number_of(from, i), w->number, &ticks);

	w->missing += !is_found || ticks != i + 1;
	__atomic_store_n(&from->ended, i + 1, __ATOMIC_RELEASE);
	return true;
}

static void *work(void *data)
{
	struct worker *w = data;
	uint64_t ended = 0;

	while (w->begun < ROUNDS || ended < ROUNDS) {
		uint64_t open = w->begun - __atomic_load_n(&w->ended, __ATOMIC_ACQUIRE);

		if (w->begun < ROUNDS && open < w->most) {
			waymark_pair_enter(
				w->table, number_of(w, w->begun), w->number, w->begun + 1);
			__atomic_store_n(&w->begun, w->begun + 1, __ATOMIC_RELEASE);
		} else if (end_one(w)) {
			ended++;
		} else {
			sched_yield();
		}
	}
	return NULL;
}

/* Returns how often the table grew. */
static uint32_t check_threads(unsigned int most, unsigned int to)
{
	struct worker workers[THREADS];
	struct pair_table *t = new_table();
	uint64_t missing = 0;

	for (unsigned int i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){
			.table = t, .ends = &workers[(i + to) % THREADS], .number = i, .most = most
		};
	}
	for (unsigned int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
	for (unsigned int i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		missing += workers[i].missing;
	}
	uint32_t grown = t->grown;

	/* A thread that is interrupted while it moves a call hides it from others. */
	assert_in_range(missing, 0, grown);
	free(t);
	return grown;
}

static void test_threads_find_each_call(void **state)
{
	(void)state;
	for (int round = 0; round < 10; round++) {
		assert_int_equal(check_threads(4, 0), 0);
		assert_int_not_equal(check_threads(4, 1), 0);
		assert_int_not_equal(check_threads(100, 0), 0);
		check_threads(2000, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_number_has_its_last_call),
		cmocka_unit_test(test_calls_without_an_end_make_room),
		cmocka_unit_test(test_ends_without_a_begin_cost_little_later),
		cmocka_unit_test(test_the_last_of_several_begins_counts),
		cmocka_unit_test(test_a_reserved_place_costs_no_other_calls),
		cmocka_unit_test(test_a_child_begins_with_none),
		cmocka_unit_test(test_threads_find_each_call),
	};

	random_state = (uint64_t)time(NULL) << 20 | 1;
	printf("seed %llu\n", (unsigned long long)random_state);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
