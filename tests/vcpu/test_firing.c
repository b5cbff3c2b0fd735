/* SPDX-License-Identifier: MIT */
/*
 * Four vCPUs fire, each in its own thread, while other threads switch their events, plug CPUs in
 * and out and load objects: the events of a vCPU are counted exactly while its own state does not
 * change, whatever happens to the others.
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "control/made.h"
#include "control/unit.h"
#include "vcpu_events.h"

#define THREADS 4u
#define ROUNDS 2000u

VCPU_EVENT(guest_block, WAYMARK_EVENT_VCPU | WAYMARK_EVENT_EXEC, 1)
VCPU_EVENT_LIST(&waymark_event_guest_block)

static struct cpu cpus[CPUS_MAX];

/* Each thread's own count of its fired events, and the threads that must stop. */
static unsigned long calls[THREADS];
static bool done;

static void *fire(void *data)
{
	struct cpu *cpu = data;

	while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
		trace_guest_block(cpu);
		/* Stored after the event: a thread that sees the call also sees its count. */
		__atomic_store_n(&calls[cpu->number], calls[cpu->number] + 1, __ATOMIC_RELEASE);
		if (calls[cpu->number] % 64 == 0) {
			sched_yield(); /* there may be more threads than processors */
		}
	}
	return NULL;
}

static unsigned long calls_of(unsigned int cpu)
{
	return __atomic_load_n(&calls[cpu], __ATOMIC_ACQUIRE);
}

static unsigned long fired_by(unsigned int cpu)
{
	return __atomic_load_n(&fired_guest_block[cpu], __ATOMIC_RELAXED);
}

/* Waits until the CPU has fired twice more: the call in progress has ended, and another one has. */
static void wait_for(unsigned int cpu)
{
	unsigned long before = calls_of(cpu);

	while (calls_of(cpu) < before + 2) {
		sched_yield();
	}
}

static void set(unsigned int cpu, bool on)
{
	assert_int_equal(waymark_vcpu_set_states(cpu, "guest_block", on, NULL), 0);
}

static pthread_t threads[THREADS];

/* Starts four vCPUs, of which the first `on` have the event; returns when each is firing. */
static void begin(unsigned int on)
{
	done = false;
	for (unsigned int i = 0; i < THREADS; i++) {
		calls[i] = fired_guest_block[i] = 0;
		assert_int_equal(waymark_vcpu_init(&cpus[i], i, NULL), 0);
	}
	for (unsigned int i = 0; i < on; i++) {
		set(i, true);
	}
	for (unsigned int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_create(&threads[i], NULL, fire, &cpus[i]), 0);
	}
	for (unsigned int i = 0; i < THREADS; i++) {
		wait_for(i);
	}
}

static void end(void)
{
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		waymark_vcpu_fini(&cpus[i]);
	}
	waymark_disable("*", WAYMARK_ANY_BACKEND, NULL, NULL);
}

/* While its own state does not change, either all events of a vCPU are counted or none. */
static void expect_steady(unsigned int cpu, bool on)
{
	wait_for(cpu);
	unsigned long fired = fired_by(cpu);
	unsigned long called = calls_of(cpu);

	for (int i = 0; i < 3; i++) {
		wait_for(cpu);
	}
	/* The calls in progress at the begin and at the end may count or not. */
	unsigned long more = calls_of(cpu) - called;
	unsigned long counted = fired_by(cpu) - fired;

	assert_true(on ? counted + 1 >= more : counted == 0);
}

static void the_others_count_exactly_while_one_is_switched(void **unused)
{
	(void)unused;
	begin(THREADS - 1);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		set(0, i & 1);
		expect_steady(0, i & 1);
	}
	end();
	assert_true(fired_by(0) < calls_of(0));
	assert_int_equal(fired_by(1), calls_of(1));
	assert_int_equal(fired_by(2), calls_of(2));
	assert_int_equal(fired_by(3), 0);
}

/* Alternately new CPUs get the event and do not. */
static void the_others_count_exactly_while_cpus_come_and_go(void **unused)
{
	(void)unused;
	begin(THREADS - 1);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		struct cpu *cpu = &cpus[THREADS + i % (CPUS_MAX - THREADS)];

		assert_int_equal(waymark_vcpu_init(cpu, WAYMARK_VCPU_NEXT, NULL), 0);
		assert_int_equal(waymark_vcpu_get_state(cpu, &waymark_event_guest_block), 0);
		waymark_vcpu_set_state(cpu, &waymark_event_guest_block, i & 1, NULL);
		trace_guest_block(cpu);
		waymark_vcpu_fini(cpu);
		sched_yield();
	}
	end();
	for (unsigned int i = 0; i < THREADS - 1; i++) {
		assert_int_equal(fired_by(i), calls_of(i));
	}
	assert_int_equal(fired_by(3), 0);
}

/* On for all, off for one, and back: vCPUs that have it in both states lose no event. */
static void all_and_some_are_alike_to_those_that_have_both(void **unused)
{
	(void)unused;
	begin(0);
	assert_int_equal(waymark_enable("guest_block", WAYMARK_LOG, NULL, NULL), 0);
	for (unsigned int i = 0; i < THREADS; i++) {
		wait_for(i);
	}
	unsigned long missed[THREADS];

	for (unsigned int i = 1; i < THREADS; i++) {
		expect_steady(i, true);
	}
	/* Compare only differences from here: earlier rounds were missed while it was off. */
	for (unsigned int i = 1; i < THREADS; i++) {
		unsigned long called = calls_of(i);

		missed[i] = called - fired_by(i);
	}
	for (unsigned int i = 0; i < ROUNDS; i++) {
		set(0, false);
		expect_steady(0, false);
		i & 1 ? set(0, true) : (void)waymark_enable("guest_block", WAYMARK_LOG, NULL, NULL);
		expect_steady(0, true);
	}
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
	}
	for (unsigned int i = 1; i < THREADS; i++) {
		long more = (long)(calls_of(i) - fired_by(i)) - (long)missed[i];

		assert_in_range(more + 1, 0, 2);
		waymark_vcpu_fini(&cpus[i]);
	}
	waymark_vcpu_fini(&cpus[0]);
	waymark_disable("*", WAYMARK_ANY_BACKEND, NULL, NULL);
}

static unsigned long faults;

#define EVENTS 5000u

/* The event that is switched only for vCPU 0, and the event that vCPU 1 currently checks. */
static struct waymark_event *current;
static struct waymark_event *looked_at;

/* Checks the event like a call site of vCPU 1, which must never see it on. */
static void *look(void *data)
{
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
		struct waymark_event *event = __atomic_load_n(&current, __ATOMIC_ACQUIRE);

		__atomic_store_n(&looked_at, event, __ATOMIC_RELAXED);
		while (__atomic_load_n(&current, __ATOMIC_RELAXED) == event &&
			!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
			if (waymark_vcpu_backends(event, &cpus[1])) {
				__atomic_fetch_add(&faults, 1, __ATOMIC_RELAXED);
			}
		}
	}
	return data;
}

/* Each event is switched for the first time, so it gets its set of vCPUs while others check it. */
static void an_event_that_goes_on_for_one_is_seen_by_no_other(void **unused)
{
	struct made *m = made_registered("fresh_%d", EVENTS, WAYMARK_LOG);

	(void)unused;
	done = false;
	current = m->list[0];
	assert_int_equal(waymark_vcpu_init(&cpus[0], 0, NULL), 0);
	assert_int_equal(waymark_vcpu_init(&cpus[1], 1, NULL), 0);
	assert_int_equal(pthread_create(&threads[0], NULL, look, NULL), 0);
	for (unsigned int i = 0; i < EVENTS; i++) {
		m->events[i].flags = WAYMARK_EVENT_VCPU;
		__atomic_store_n(&current, m->list[i], __ATOMIC_RELEASE);
		while (__atomic_load_n(&looked_at, __ATOMIC_RELAXED) != m->list[i]) {
			sched_yield();
		}
		assert_int_equal(waymark_vcpu_set_state(&cpus[0], m->list[i], true, NULL), 0);
		assert_int_equal(waymark_set_state(m->list[i], WAYMARK_LOG, false, NULL), 0);
	}
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	pthread_join(threads[0], NULL);
	made_gone(m);
	waymark_vcpu_fini(&cpus[0]);
	waymark_vcpu_fini(&cpus[1]);
	assert_int_equal(faults, 0);
}

/* Switches one CPU, whose own event must have exactly the state that this thread set. */
static void *switch_own(void *data)
{
	struct cpu *cpu = data;
	const struct waymark_event *event = &waymark_event_guest_block;

	for (unsigned int i = 0; i < ROUNDS * 10; i++) {
		bool on = i & 1;

		waymark_vcpu_set_states(cpu->number, "guest_*", on, NULL);
		__atomic_fetch_add(
			&faults, (waymark_vcpu_get_state(cpu, event) != 0) != on, __ATOMIC_RELAXED);
		trace_guest_block(cpu);
	}
	return NULL;
}

/* Registers and unregisters objects with other events and their sets. */
static void *load_objects(void *data)
{
	for (unsigned int i = 0; i < ROUNDS; i++) {
		struct made *m = made_object("plug_%d", 5, WAYMARK_LOG);

		m->events[3].flags = WAYMARK_EVENT_VCPU | WAYMARK_EVENT_EXEC;
		waymark_register(&m->object);
		waymark_vcpu_set_states(0, "plug_*", true, NULL);
		made_gone(m);
	}
	return data;
}

static void count_call(void *cpu, void *opaque)
{
	(void)cpu;
	__atomic_fetch_add((unsigned long *)opaque, 1, __ATOMIC_RELAXED);
}

static void threads_switch_their_vcpus_at_once(void **unused)
{
	unsigned long told = 0;
	pthread_t loader;

	(void)unused;
	waymark_vcpu_watch(count_call, &told);
	for (unsigned int i = 0; i < THREADS; i++) {
		fired_guest_block[i] = 0;
		assert_int_equal(waymark_vcpu_init(&cpus[i], i, NULL), 0);
	}
	assert_int_equal(pthread_create(&loader, NULL, load_objects, NULL), 0);
	for (unsigned int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_create(&threads[i], NULL, switch_own, &cpus[i]), 0);
	}
	for (unsigned int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		waymark_vcpu_set_states(i, "*", false, NULL);
	}
	pthread_join(loader, NULL);
	waymark_vcpu_watch(NULL, NULL);
	assert_int_equal(faults, 0);
	for (unsigned int i = 0; i < THREADS; i++) {
		assert_int_equal(fired_by(i), ROUNDS * 5);
		waymark_vcpu_fini(&cpus[i]);
	}
	/* Each thread began with `off`, and ended with `on`, which was undone. */
	assert_int_equal(told, THREADS * ROUNDS * 10 + ROUNDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_others_count_exactly_while_one_is_switched),
		cmocka_unit_test(the_others_count_exactly_while_cpus_come_and_go),
		cmocka_unit_test(all_and_some_are_alike_to_those_that_have_both),
		cmocka_unit_test(an_event_that_goes_on_for_one_is_seen_by_no_other),
		cmocka_unit_test(threads_switch_their_vcpus_at_once),
	};

	for (unsigned int i = 0; i < CPUS_MAX; i++) {
		cpus[i].number = i;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
