/* SPDX-License-Identifier: MIT */
/*
 * Registered vCPUs: refused calls, lists, and the watcher of changes.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <trace/control.h>

#include "control/made.h"
#include "control/unit.h"
#include "vcpu_events.h"

#define MANY ((unsigned int)WAYMARK_VCPUS)

VCPU_EVENT(guest_block, WAYMARK_EVENT_VCPU | WAYMARK_EVENT_EXEC, 1)
VCPU_EVENT(guest_trap, WAYMARK_EVENT_VCPU, 2)
VCPU_EVENT(guest_reset, WAYMARK_EVENT_VCPU | WAYMARK_EVENT_EXEC, 3)
VCPU_EVENT(host_open, 0, 4)
VCPU_EVENT_LIST(&waymark_event_guest_block, &waymark_event_guest_trap, &waymark_event_guest_reset,
	&waymark_event_host_open)

static struct cpu cpus[MANY + 1];
static struct waymark_error error;

static void refused(int result, const char *why)
{
	assert_int_equal(result, -1);
	assert_non_null(strstr(error.text, why));
}

static int init(unsigned int cpu, unsigned int index)
{
	return waymark_vcpu_init(&cpus[cpu], index, &error);
}

static int none(void **unused)
{
	(void)unused;
	for (unsigned int i = 0; i <= MANY; i++) {
		waymark_vcpu_fini(&cpus[i]);
	}
	waymark_vcpu_watch(NULL, NULL);
	return waymark_disable("*", WAYMARK_ANY_BACKEND, NULL, NULL);
}

static int two(void **unused)
{
	none(unused);
	return init(0, 0) | init(1, 1);
}

static void an_index_is_the_lowest_free_one_or_as_asked(void **unused)
{
	(void)unused;
	assert_int_equal(init(0, WAYMARK_VCPU_NEXT), 0);
	assert_int_equal(init(1, 7), 0);
	assert_int_equal(init(2, WAYMARK_VCPU_NEXT), 0);
	assert_ptr_equal(waymark_vcpu_find(0), &cpus[0]);
	assert_ptr_equal(waymark_vcpu_find(7), &cpus[1]);
	assert_ptr_equal(waymark_vcpu_find(1), &cpus[2]);
	waymark_vcpu_fini(&cpus[0]);
	assert_null(waymark_vcpu_find(0));
	trace_init_vcpu(&cpus[3]);
	assert_ptr_equal(waymark_vcpu_find(0), &cpus[3]);
	trace_fini_vcpu(&cpus[3]);
	assert_null(waymark_vcpu_find(0));
	assert_null(waymark_vcpu_find(MANY));
	assert_null(waymark_vcpu_find(WAYMARK_VCPU_NEXT));
}

static void what_is_no_new_vcpu_is_refused(void **unused)
{
	(void)unused;
	assert_int_equal(init(0, 3), 0);
	assert_string_equal(error.text, "");
	refused(waymark_vcpu_init(NULL, 0, &error), "cannot be NULL");
	refused(init(0, 4), "already registered, with index 3");
	refused(init(1, 3), "vCPU index 3 is taken");
	refused(init(1, MANY), "is too large: the largest is 4095");
	waymark_vcpu_fini(NULL);
	waymark_vcpu_fini(&cpus[1]);
	assert_ptr_equal(waymark_vcpu_find(3), &cpus[0]);
}

static void there_may_be_4096(void **unused)
{
	const struct waymark_event *event = &waymark_event_guest_trap;

	(void)unused;
	for (unsigned int i = 0; i < MANY; i++) {
		assert_int_equal(init(i, WAYMARK_VCPU_NEXT), 0);
	}
	refused(init(MANY, WAYMARK_VCPU_NEXT), "is too large: the largest is 4095");
	assert_int_equal(waymark_vcpu_set_states(MANY - 1, "guest_trap", true, &error), 0);
	assert_int_equal(waymark_vcpu_set_states(31, "guest_trap", true, &error), 0);
	for (unsigned int i = 0; i < MANY; i++) {
		assert_ptr_equal(waymark_vcpu_find(i), &cpus[i]);
		assert_int_equal(
			waymark_vcpu_get_state(&cpus[i], event) != 0, i == MANY - 1 || i == 31);
	}
	waymark_vcpu_fini(&cpus[100]);
	assert_int_equal(init(MANY, WAYMARK_VCPU_NEXT), 0);
	assert_ptr_equal(waymark_vcpu_find(100), &cpus[MANY]);
}

static void a_new_vcpu_gets_what_others_were_to_get(void **unused)
{
	(void)unused;
	waymark_vcpu_set_states(0, "guest_block", true, NULL);
	waymark_enable("guest_trap", WAYMARK_ANY_BACKEND, NULL, NULL);
	waymark_enable("guest_reset", WAYMARK_LOG, NULL, NULL);
	waymark_vcpu_set_states(0, "guest_reset", false, NULL);
	assert_int_equal(init(2, 2), 0);
	assert_int_equal(waymark_vcpu_get_state(&cpus[2], &waymark_event_guest_block), 0);
	assert_int_equal(waymark_vcpu_get_state(&cpus[2], &waymark_event_guest_trap), BUILT_WITH);
	assert_int_equal(waymark_vcpu_get_state(&cpus[2], &waymark_event_guest_reset), WAYMARK_LOG);
}

static void what_cannot_be_switched_is_refused(void **unused)
{
	const struct waymark_event *trap = &waymark_event_guest_trap;

	(void)unused;
	refused(waymark_vcpu_set_state(&cpus[0], &waymark_event_host_open, true, &error),
		"'host_open' is not declared vcpu");
	refused(waymark_vcpu_set_state(&cpus[2], trap, true, &error), "there is no vCPU 0x");
	refused(waymark_vcpu_set_state(NULL, trap, true, &error), "there is no vCPU");
	refused(waymark_vcpu_set_states(2, "*", true, &error), "no vCPU with index 2");
	refused(waymark_vcpu_set_states(MANY, "*", false, &error), "no vCPU with index 4096");
	refused(waymark_vcpu_set_states(0, "host_open", true, &error),
		"'host_open' is not declared vcpu");
	refused(waymark_vcpu_set_states(0, "guest_tarp", true, &error),
		"has the name 'guest_tarp'");
	refused(waymark_vcpu_set_states(0, "", true, &error), "missing");
	refused(waymark_vcpu_set_states(0, "/(/", true, &error), "regular expression");
	assert_int_equal(waymark_get_state(trap), 0);
	assert_int_equal(waymark_vcpu_set_states(0, "nothing_*", true, &error), 0);
	assert_int_equal(waymark_vcpu_set_states(0, "*", true, &error), 0);
	assert_string_equal(error.text, "");
	assert_int_equal(waymark_get_state(&waymark_event_host_open), 0);
	assert_int_equal(waymark_get_state(trap), BUILT_WITH);
}

static void an_event_that_only_others_switch_is_refused(void **unused)
{
	struct made *m = made_object("outside_%d", 1, WAYMARK_DTRACE);

	(void)unused;
	m->events[0].flags = WAYMARK_EVENT_VCPU;
	waymark_register(&m->object);
	refused(waymark_vcpu_set_states(0, "outside_0", true, &error), "built without a backend");
	assert_int_equal(waymark_vcpu_set_states(0, "outside_*", true, &error), 0);
	assert_int_equal(waymark_get_state(&m->events[0]), 0);
	made_gone(m);
}

static void a_list_has_the_events_of_that_vcpu(void **unused)
{
	struct waymark_event_list list;

	(void)unused;
	waymark_vcpu_set_states(1, "guest_trap", true, NULL);
	assert_int_equal(waymark_vcpu_list_events(1, NULL, &list, &error), 0);
	assert_int_equal(list.count, 3);
	assert_string_equal(list.events[1].name, "guest_trap");
	assert_int_equal(list.events[0].state, 0);
	assert_int_equal(list.events[1].state, BUILT_WITH);
	assert_true(list.events[1].vcpu);
	waymark_free_events(&list);
	assert_int_equal(waymark_vcpu_list_events(0, "*_trap", &list, &error), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.events[0].state, 0);
	waymark_free_events(&list);
	refused(waymark_vcpu_list_events(2, NULL, &list, &error), "no vCPU with index 2");
	assert_int_equal(list.count, 0);
	refused(waymark_vcpu_list_events(MANY, NULL, &list, &error), "no vCPU with index 4096");
	assert_int_equal(waymark_vcpu_set_states(WAYMARK_VCPU_LATER, "guest_b*", true, &error), 0);
	assert_int_equal(waymark_vcpu_list_events(WAYMARK_VCPU_LATER, NULL, &list, &error), 0);
	assert_int_equal(list.count, 3);
	assert_int_equal(list.events[0].state, BUILT_WITH);
	assert_int_equal(list.events[1].state, 0);
	waymark_free_events(&list);
	assert_int_equal(waymark_list_events("*_o*", &list, &error), 0);
	assert_false(list.events[0].vcpu);
	waymark_free_events(&list);
}

static void the_functions_of_qemu_do_the_same(void **unused)
{
	TraceEvent *trap = trace_event_name("guest_trap");
	TraceEvent *host = trace_event_name("host_open");

	(void)unused;
	trace_event_set_vcpu_state_dynamic(&cpus[1], trap, true);
	assert_true(trace_event_get_vcpu_state_dynamic(&cpus[1], trap));
	assert_false(trace_event_get_vcpu_state_dynamic(&cpus[0], trap));
	assert_true(trace_event_get_state_dynamic(trap));
	trace_event_set_vcpu_state_dynamic(&cpus[1], trap, false);
	assert_false(trace_event_get_state_dynamic(trap));
	trace_event_set_vcpu_state_dynamic(NULL, trap, true); /* prints an error, only once */
	trace_event_set_vcpu_state_dynamic(&cpus[1], host, true);
	trace_event_set_vcpu_state_dynamic(&cpus[1], NULL, true);
	assert_false(trace_event_get_state_dynamic(trap));
	assert_false(trace_event_get_vcpu_state_dynamic(&cpus[1], NULL));
	assert_true(trace_event_is_vcpu(trap));
	assert_false(trace_event_is_vcpu(host));
	assert_int_equal(trace_event_get_vcpu_id(trap), 1);
	assert_int_equal(trace_event_get_vcpu_id(host), TRACE_VCPU_EVENT_NONE);
	assert_int_equal(trace_get_vcpu_event_count(), 3);
}

static unsigned int told;
static void *told_cpu;

static void watch(void *cpu, void *opaque)
{
	(void)opaque;
	told++;
	told_cpu = cpu;
}

static void told_once(int result, void *cpu)
{
	assert_int_equal(result, 0);
	assert_int_equal(told, 1);
	assert_ptr_equal(told_cpu, cpu);
	told = 0;
}

static void a_call_of_control_is_reported_once(void **unused)
{
	(void)unused;
	waymark_vcpu_watch(watch, NULL);
	told_once(waymark_vcpu_set_states(1, "guest_*", true, NULL), &cpus[1]);
	told_once(waymark_vcpu_set_states(1, "guest_*", false, NULL), &cpus[1]);
	told_once(waymark_enable("*", WAYMARK_LOG, NULL, NULL), NULL);
	told_once(waymark_configure("-guest_*,enable=guest_r*", NULL), NULL);
	told_once(waymark_configure("-guest_r*", NULL), NULL);
	waymark_enable("guest_trap", WAYMARK_ANY_BACKEND, NULL, NULL);
	waymark_enable("host_open", WAYMARK_ANY_BACKEND, NULL, NULL);
	waymark_vcpu_set_states(1, "guest_trap", false, NULL);
	waymark_disable("guest_block", WAYMARK_ANY_BACKEND, NULL, NULL);
	assert_int_equal(told, 0);
	waymark_vcpu_watch(NULL, NULL);
	waymark_enable("*", WAYMARK_LOG, NULL, NULL);
	assert_int_equal(told, 0);
}

static void an_object_that_patterns_switch_on_is_reported(void **unused)
{
	struct made *m = made_object("late_%d", 2, WAYMARK_LOG);

	(void)unused;
	m->events[1].flags = WAYMARK_EVENT_VCPU | WAYMARK_EVENT_EXEC;
	waymark_vcpu_watch(watch, NULL);
	waymark_register(&m->object);
	assert_int_equal(told, 0);
	waymark_unregister(&m->object);
	waymark_enable("late_*", WAYMARK_LOG, NULL, NULL);
	assert_int_equal(told, 0);
	waymark_register(&m->object);
	told_once(0, NULL);
	made_gone(m);
}

struct slow_call {
	sem_t has_begun;
	bool has_ended;
};

static void watch_slowly(void *cpu, void *opaque)
{
	struct slow_call *call = opaque;

	(void)cpu;
	sem_post(&call->has_begun);
	usleep(50000);
	call->has_ended = true;
}

static void *switch_once(void *unused)
{
	waymark_vcpu_set_states(1, "guest_*", true, NULL);
	return unused;
}

/* When a watcher is replaced, its last call has returned, so its data can be freed. */
static void a_watcher_that_is_replaced_has_returned(void **unused)
{
	struct slow_call call = { .has_ended = false };
	pthread_t thread;

	(void)unused;
	assert_int_equal(sem_init(&call.has_begun, 0, 0), 0);
	waymark_vcpu_watch(watch_slowly, &call);
	assert_int_equal(pthread_create(&thread, NULL, switch_once, NULL), 0);
	assert_int_equal(sem_wait(&call.has_begun), 0);
	waymark_vcpu_watch(watch, NULL);
	assert_true(call.has_ended);
	assert_int_equal(pthread_join(thread, NULL), 0);
	told_once(waymark_vcpu_set_states(1, "guest_*", false, NULL), &cpus[1]);
	sem_destroy(&call.has_begun);
}

/* New objects use the sets of unregistered ones. */
static void an_object_that_comes_again_begins_anew(void **unused)
{
	(void)unused;
	for (int i = 0; i < 1000; i++) {
		struct made *m = made_object("plug_%d", 20, WAYMARK_LOG);

		for (int e = 0; e < 20; e++) {
			m->events[e].flags = WAYMARK_EVENT_VCPU;
		}
		waymark_register(&m->object);
		assert_int_equal(waymark_vcpu_get_state(&cpus[1], &m->events[7]), 0);
		assert_int_equal(waymark_vcpu_set_states(1, "plug_*", true, NULL), 0);
		assert_int_equal(waymark_vcpu_get_state(&cpus[1], &m->events[7]), WAYMARK_LOG);
		assert_int_equal(waymark_vcpu_get_state(&cpus[0], &m->events[7]), 0);
		made_gone(m);
	}
}

static void a_child_of_fork_has_the_states_and_changes_its_own(void **unused)
{
	int status;

	(void)unused;
	waymark_vcpu_set_states(1, "guest_trap", true, NULL);
	pid_t child = fork();

	if (child == 0) {
		bool kept = waymark_vcpu_get_state(&cpus[1], &waymark_event_guest_trap) &&
			    !waymark_vcpu_get_state(&cpus[0], &waymark_event_guest_trap);
		bool done = waymark_vcpu_set_states(1, "guest_trap", false, NULL) == 0 &&
			    init(2, 2) == 0 && !waymark_get_state(&waymark_event_guest_trap);

		_exit(!kept || !done);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(waymark_get_state(&waymark_event_guest_trap), BUILT_WITH);
	assert_null(waymark_vcpu_find(2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_index_is_the_lowest_free_one_or_as_asked, none),
		cmocka_unit_test_setup(what_is_no_new_vcpu_is_refused, none),
		cmocka_unit_test_setup(there_may_be_4096, none),
		cmocka_unit_test_setup(a_new_vcpu_gets_what_others_were_to_get, two),
		cmocka_unit_test_setup(what_cannot_be_switched_is_refused, two),
		cmocka_unit_test_setup(an_event_that_only_others_switch_is_refused, two),
		cmocka_unit_test_setup(a_list_has_the_events_of_that_vcpu, two),
		cmocka_unit_test_setup(the_functions_of_qemu_do_the_same, two),
		cmocka_unit_test_setup(a_call_of_control_is_reported_once, two),
		cmocka_unit_test_setup(an_object_that_patterns_switch_on_is_reported, two),
		cmocka_unit_test_setup(a_watcher_that_is_replaced_has_returned, two),
		cmocka_unit_test_setup(an_object_that_comes_again_begins_anew, two),
		cmocka_unit_test_setup(a_child_of_fork_has_the_states_and_changes_its_own, two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
