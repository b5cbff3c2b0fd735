/* SPDX-License-Identifier: MIT */
/* The table from CPU pointers to indexes: correct and fast after any additions and removals. */
#include <stdbool.h>
#include <time.h>

#include "control/unit.h"
#include "vcpu_events.h"

#define MANY ((unsigned int)WAYMARK_VCPUS)

VCPU_EVENT(guest_trap, WAYMARK_EVENT_VCPU, 1)
VCPU_EVENT_LIST(&waymark_event_guest_trap)

static struct cpu cpu_0;
static struct waymark_error error;

/* Scattered addresses, many of which share a slot of any table; never dereferenced. */
static void *anywhere(unsigned int cpu)
{
	uint64_t h = (cpu + 1) * UINT64_C(0xbf58476d1ce4e5b9);

	h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
	return (void *)(uintptr_t)((h ^ h >> 31) & ~UINT64_C(7));
}

/* After any additions and removals, exactly the registered pointers are found. */
static void vcpus_are_found_however_they_come_and_go(void **unused)
{
	const struct waymark_event *event = &waymark_event_guest_trap;
	static bool there[MANY];
	unsigned int seed = 1;

	(void)unused;
	/* The event is on for CPUs with an index, and off for all others. */
	assert_int_equal(waymark_vcpu_init(&cpu_0, MANY - 1, &error), 0);
	assert_int_equal(waymark_vcpu_set_states(MANY - 1, "guest_trap", true, NULL), 0);
	for (unsigned int i = 0; i < 100000; i++) {
		seed = seed * 1103515245u + 12345u;
		unsigned int cpu = (seed >> 8) % (MANY - 1);
		void *where = anywhere(cpu);

		if (there[cpu]) {
			waymark_vcpu_fini(where);
		} else {
			assert_int_equal(waymark_vcpu_init(where, cpu, &error), 0);
			assert_int_equal(waymark_vcpu_get_state(where, event), 0);
			waymark_vcpu_set_state(where, event, true, NULL);
		}
		there[cpu] = !there[cpu];
		assert_int_equal(waymark_vcpu_get_state(where, event) != 0, there[cpu]);
		where = anywhere(i % (MANY - 1));
		assert_int_equal(waymark_vcpu_get_state(where, event) != 0, there[i % (MANY - 1)]);
	}
	for (unsigned int i = 0; i < MANY - 1; i++) {
		waymark_vcpu_fini(anywhere(i));
		assert_int_equal(waymark_vcpu_get_state(anywhere(i), event), 0);
	}
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Returns the time to check the event on those 1000 CPUs: the least of several runs. */
static double cost_of(const unsigned int *numbers)
{
	double least = 1e9;

	for (int pass = 0; pass < 10; pass++) {
		double begin = seconds();

		for (unsigned int i = 0; i < 1000; i++) {
			waymark_vcpu_get_state(anywhere(numbers[i]), &waymark_event_guest_trap);
		}
		double took = seconds() - begin;

		least = took < least ? took : least;
	}
	return least;
}

#define CHANGES 100000u

/* The maximum number of CPUs, each of which is replaced in turn by one at another address. */
static void much_coming_and_going_makes_no_search_long(void **unused)
{
	unsigned int seed = 1;
	static unsigned int cpu_of[MANY];

	(void)unused;
	for (unsigned int i = 0; i < MANY; i++) {
		cpu_of[i] = i;
		assert_int_equal(waymark_vcpu_init(anywhere(i), i, &error), 0);
	}
	waymark_vcpu_set_states(0, "guest_trap", true, NULL);
	for (unsigned int i = 0; i < CHANGES; i++) {
		seed = seed * 1103515245u + 12345u;
		unsigned int index = 1 + (seed >> 8) % (MANY - 1);

		waymark_vcpu_fini(anywhere(cpu_of[index]));
		cpu_of[index] = MANY + i;
		assert_int_equal(waymark_vcpu_init(anywhere(MANY + i), index, &error), 0);
	}
	unsigned int others[1000];

	for (unsigned int i = 0; i < 1000; i++) {
		others[i] = MANY + CHANGES + i;
	}
	double there = cost_of(cpu_of);
	double not_there = cost_of(others);

	for (unsigned int i = 0; i < MANY; i++) {
		waymark_vcpu_fini(anywhere(cpu_of[i]));
	}
	print_message("a CPU that is not there: %.1f of one that is\n", not_there / there);
	assert_true(not_there < 50 * there);
}

static int none(void **unused)
{
	(void)unused;
	waymark_vcpu_fini(&cpu_0);
	return waymark_disable("*", WAYMARK_ANY_BACKEND, NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(vcpus_are_found_however_they_come_and_go, none),
		cmocka_unit_test_teardown(much_coming_and_going_makes_no_search_long, none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
