/* SPDX-License-Identifier: MIT */
/* Lists of events and of outputs. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <waymark/control.h>

#include "events.h"
#include "folder.h"
#include "made.h"
#include "unit.h"

#define BOTH (WAYMARK_LOG | WAYMARK_SIMPLE)

EVENT(fired, WAYMARK_SIMPLE | WAYMARK_CTF | WAYMARK_LOG, 1)
EVENT_LIST(&waymark_event_fired)

static struct waymark_error error;

static void list_is_a_copy_in_the_order_of_iteration(void **state)
{
	struct made *a = made_registered("a%d", 2, BOTH);
	struct made *b = made_registered("bb%d", 1, WAYMARK_LOG);
	struct waymark_event_list list;

	(void)state;
	waymark_enable("a1", WAYMARK_LOG, NULL, NULL);
	((uint16_t *)(void *)&a->states[1])[1] = 3;
	assert_int_equal(waymark_list_events("*[0-9]", &list, &error), 0);
	assert_int_equal(list.count, 0);
	assert_null(list.events);
	assert_int_equal(waymark_list_events("/[0-9]/", &list, &error), 0);
	made_gone(a);
	made_gone(b);
	waymark_disable("*", WAYMARK_ANY_BACKEND, NULL, NULL);
	assert_int_equal(list.count, 3);
	assert_string_equal(list.events[0].name, "a0");
	assert_string_equal(list.events[1].name, "a1");
	assert_string_equal(list.events[2].name, "bb0");
	assert_int_equal(list.events[0].state, 0);
	assert_int_equal(list.events[1].state, WAYMARK_LOG);
	assert_int_equal(list.events[1].watchers, 3);
	assert_int_equal(list.events[1].backends, BOTH);
	assert_int_equal(list.events[2].backends, WAYMARK_LOG);
	waymark_free_events(&list);
	assert_int_equal(list.count, 0);
	waymark_free_events(&list);
	assert_int_equal(waymark_list_events(NULL, &list, NULL), 0);
	assert_int_equal(list.count, 1);
	assert_string_equal(list.events[0].name, "fired");
	waymark_free_events(&list);
}

static unsigned int state_of(const struct made *m, int index)
{
	return *(uint16_t *)(void *)&m->states[index];
}

static void names_are_switched_where_they_are_and_leave_no_rule(void **state)
{
	static const char *const names[] = { "n3", "never_there", "n1", "n3" };
	struct made *a = made_registered("n%d", 5, BOTH);
	struct made *same = made_registered("n%d", 2, WAYMARK_LOG);

	(void)state;
	assert_int_equal(waymark_set_states(names, 4, WAYMARK_SIMPLE, true, &error), 0);
	assert_string_equal(error.text, "");
	assert_int_equal(state_of(a, 0), 0);
	assert_int_equal(state_of(a, 1), WAYMARK_SIMPLE);
	assert_int_equal(state_of(a, 3), WAYMARK_SIMPLE);
	assert_int_equal(state_of(same, 1), 0);
	assert_int_equal(waymark_set_states(names, 4, WAYMARK_ANY_BACKEND, true, NULL), 0);
	assert_int_equal(state_of(a, 1), BOTH);
	assert_int_equal(state_of(same, 1), WAYMARK_LOG);
	struct made *later = made_registered("n%d", 5, BOTH);

	assert_int_equal(state_of(later, 1), 0);
	assert_int_equal(waymark_set_states(names, 3, WAYMARK_LOG, false, NULL), 0);
	assert_int_equal(state_of(a, 1), WAYMARK_SIMPLE);
	assert_int_equal(state_of(same, 1), 0);
	assert_int_equal(waymark_set_states(NULL, 0, WAYMARK_LOG, true, NULL), 0);
	made_gone(a);
	made_gone(same);
	made_gone(later);
}

static void bad_pattern_is_an_error(void **state)
{
	struct waymark_event_list list = { .count = 7 };

	(void)state;
	assert_int_equal(waymark_list_events("/(/", &list, &error), -1);
	assert_string_equal(error.text, "regular expression '/(/': Unmatched ( or \\(");
	assert_int_equal(list.count, 0);
	waymark_free_events(&list);
}

static bool done;
static int rounds;

static void *come_and_go(void *arg)
{
	(void)arg;
	for (int i = 0; !__atomic_load_n(&done, __ATOMIC_RELAXED); i++) {
		struct made *first = made_registered("coming_%d", i % 300, BOTH);

		made_gone(made_registered("coming_and_going_%d", 20, BOTH));
		made_gone(first);
		__atomic_store_n(&rounds, i, __ATOMIC_RELAXED);
	}
	return NULL;
}

/*
 * Names of unregistered events are overwritten: if a list had kept a pointer, it would show
 * exclamation marks.
 */
static void objects_may_come_and_go_meanwhile(void **state)
{
	struct waymark_event_list list;
	size_t most = 0;
	pthread_t comer;

	(void)state;
	done = false;
	assert_int_equal(pthread_create(&comer, NULL, come_and_go, NULL), 0);
	/* On few cores a list may often be made only between two rounds. */
	for (int i = 0; i < 3000 || __atomic_load_n(&rounds, __ATOMIC_RELAXED) < 400 ||
			(most <= 20 && i < 1000000);
		i++) {
		assert_int_equal(waymark_list_events(i & 1 ? NULL : "/_/", &list, &error), 0);
		most = list.count > most ? list.count : most;
		for (size_t k = 0; k < list.count; k++) {
			assert_true(strncmp(list.events[k].name, "coming_", 7) == 0 ||
				    strcmp(list.events[k].name, "fired") == 0);
		}
		waymark_free_events(&list);
		sched_yield();
	}
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	pthread_join(comer, NULL);
	assert_true(most > 20);
}

static void check_output(const char *backend, const char *path, bool on, bool begun)
{
	struct waymark_output output;
	char here[4096];
	char whole[8192];

	assert_non_null(getcwd(here, sizeof(here)));
	snprintf(whole, sizeof(whole), "%s%s%s", *path ? here : "", *path ? "/" : "", path);
	assert_int_equal(waymark_get_output(backend, &output, &error), 0);
	assert_string_equal(output.backend, backend);
	assert_string_equal(output.path, whole);
	assert_int_equal(output.on, on);
	assert_int_equal(output.begun, begun);
}

static void output_has_a_path_and_says_whether_it_is_there(void **state)
{
	char native[64];
	char simple[64];

	(void)state;
	snprintf(native, sizeof(native), "trace-%d.ctf", (int)getpid());
	snprintf(simple, sizeof(simple), "trace-%d", (int)getpid());
	check_output("log", "", true, false);
	check_output("ctf", native, true, false);
	check_output("simple", simple, true, false);
	waymark_enable("fired", WAYMARK_SIMPLE | WAYMARK_CTF, NULL, NULL);
	trace_fired(1);
	assert_int_equal(waymark_flush(&error), 0);
	check_output("ctf", native, true, true);
	check_output("simple", simple, true, true);
	assert_int_equal(waymark_set_output("simple", "named", &error), 0);
	check_output("simple", "named", true, true);
	assert_int_equal(waymark_set_output_on("simple", false, NULL, &error), 0);
	check_output("simple", "named", false, true);
	assert_int_equal(waymark_set_output("ctf", "other", &error), 0);
	trace_fired(2);
	assert_int_equal(waymark_flush(&error), 0);
	check_output("ctf", "other", true, true);
	assert_int_equal(waymark_set_output("log", "log", &error), 0);
	check_output("log", "log", true, true);
	assert_int_equal(waymark_set_output("log", NULL, &error), 0);
}

static void output_stays_where_the_first_event_was(void **state)
{
	struct waymark_output before;
	struct waymark_output after;

	(void)state;
	assert_int_equal(waymark_get_output("ctf", &before, &error), 0);
	assert_int_equal(mkdir("below", 0777) | chdir("below"), 0);
	assert_int_equal(waymark_get_output(NULL, &after, &error), 0);
	assert_int_equal(chdir(".."), 0);
	assert_string_equal(after.path, before.path);
}

static void output_of_no_backend_is_an_error(void **state)
{
	struct waymark_output output;

	(void)state;
	assert_int_equal(waymark_get_output("nosuch", &output, &error), -1);
	assert_string_equal(error.text, "'nosuch' is not a backend that has a file");
	assert_string_equal(output.path, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(list_is_a_copy_in_the_order_of_iteration),
		cmocka_unit_test(names_are_switched_where_they_are_and_leave_no_rule),
		cmocka_unit_test(bad_pattern_is_an_error),
		cmocka_unit_test(objects_may_come_and_go_meanwhile),
		cmocka_unit_test(output_has_a_path_and_says_whether_it_is_there),
		cmocka_unit_test(output_stays_where_the_first_event_was),
		cmocka_unit_test(output_of_no_backend_is_an_error),
	};

	return cmocka_run_group_tests_name("lists", tests, enter_folder, leave_folder);
}
