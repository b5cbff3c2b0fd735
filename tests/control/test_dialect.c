/* SPDX-License-Identifier: MIT */
/*
 * The choice of the option's dialect, and StratoVirt's treatment of events and scopes. A process
 * chooses its dialect only once, so each test that chooses one runs in a child.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <waymark/control.h>

#include "made.h"
#include "unit.h"

#define STRATO "dialect=stratovirt,"

static struct waymark_error error;
static char list[] = "/tmp/waymark-dialect-XXXXXX";

static void write_list(const char *text)
{
	FILE *f = fopen(list, "w");

	fputs(text, f);
	fclose(f);
}

/* Runs a function in a child; returns true if it returned true there. */
static bool in_child(bool (*run)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		_exit(run() ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	return status == 0;
}

static bool nothing_is_given(void)
{
	return waymark_set_dialect(WAYMARK_DIALECT_STRATOVIRT, &error) == 0 &&
	       waymark_configure("", &error) < 0 && strstr(error.text, "nothing is given");
}

static void option_with_nothing_in_it_is_an_error(void **state)
{
	(void)state;
	assert_true(in_child(nothing_is_given));
}

static bool program_chooses_once(void)
{
	return waymark_set_dialect(WAYMARK_DIALECT_STRATOVIRT, &error) == 0 &&
	       waymark_set_dialect(WAYMARK_DIALECT_STRATOVIRT, &error) == 0 && !error.text[0] &&
	       strstr(waymark_option_help(), "type=all|events|scopes") &&
	       waymark_configure("type=events", &error) == 0 &&
	       waymark_configure(STRATO "type=events", &error) == 0 &&
	       waymark_configure("dialect=waymark,*", &error) < 0 &&
	       !strcmp(error.text, "dialect=: the dialect of options is 'stratovirt' already, by "
				   "the program's choice: choose it once") &&
	       waymark_set_dialect(WAYMARK_DIALECT_WAYMARK, &error) < 0 &&
	       strstr(error.text, "is 'stratovirt' already, by the program's choice");
}

static bool option_chooses_for_later_ones(void)
{
	return waymark_configure(STRATO "type=events", &error) == 0 &&
	       waymark_configure("type=scopes", &error) == 0 &&
	       waymark_set_dialect(WAYMARK_DIALECT_STRATOVIRT, &error) == 0 &&
	       waymark_set_dialect(WAYMARK_DIALECT_WAYMARK, &error) < 0;
}

static bool choice_comes_before_the_first_option(void)
{
	return waymark_configure("a*", &error) == 0 &&
	       waymark_set_dialect(WAYMARK_DIALECT_STRATOVIRT, &error) < 0 &&
	       !strcmp(error.text, "an option was read in the dialect 'waymark' already: choose "
				   "'stratovirt' before the first") &&
	       waymark_configure(STRATO "type=all", &error) < 0 &&
	       waymark_set_dialect(WAYMARK_DIALECT_WAYMARK, &error) == 0;
}

static bool option_in_error_chooses_nothing(void)
{
	return waymark_configure(STRATO "type=x", &error) < 0 &&
	       waymark_configure("a*,enable=b?", &error) == 0;
}

static bool there_are_two(void)
{
	return waymark_set_dialect((enum waymark_dialect)2, &error) < 0 &&
	       !strcmp(error.text, "there is no dialect 2");
}

static void dialect_is_chosen_once(void **state)
{
	(void)state;
	assert_true(in_child(program_chooses_once));
	assert_true(in_child(option_chooses_for_later_ones));
	assert_true(in_child(choice_comes_before_the_first_option));
	assert_true(in_child(option_in_error_chooses_nothing));
	assert_true(in_child(there_are_two));
}

static struct made *scopes_and_events(const char *format)
{
	struct made *m = made_object(format, 4, WAYMARK_LOG);

	m->events[2].flags = m->events[3].flags = WAYMARK_EVENT_SCOPE;
	waymark_register(&m->object);
	return m;
}

static bool are(const struct made *m, bool events, bool scopes)
{
	return (waymark_get_state(&m->events[0]) != 0) == events &&
	       (waymark_get_state(&m->events[1]) != 0) == events &&
	       (waymark_get_state(&m->events[2]) != 0) == scopes &&
	       (waymark_get_state(&m->events[3]) != 0) == scopes;
}

static bool type_switches(const char *option, bool events, bool scopes)
{
	struct made *before = scopes_and_events("before_%d");
	bool good = are(before, false, false) && waymark_configure(option, &error) == 0;
	struct made *later = scopes_and_events("later_%d");

	return good && are(before, events, scopes) && are(later, events, scopes);
}

static bool scopes_are_listed(void)
{
	struct waymark_event_list events;

	scopes_and_events("one_%d");
	return waymark_list_events("/^one/", &events, &error) == 0 && events.count == 4 &&
	       !strcmp(events.events[3].name, "one_3") &&
	       waymark_enable("/one_3/", WAYMARK_ANY_BACKEND, NULL, &error) == 0 &&
	       waymark_get_state(waymark_find("one_3")) &&
	       !waymark_get_state(waymark_find("one_2"));
}

static void scopes_are_listed_and_switched_as_events_are(void **state)
{
	(void)state;
	assert_true(in_child(scopes_are_listed));
}

static bool type_all(void)
{
	return type_switches(STRATO "type=all", true, true);
}

static bool type_events(void)
{
	return type_switches(STRATO "type=events", true, false);
}

static bool type_scopes(void)
{
	return type_switches(STRATO "type=scopes", false, true);
}

static bool types_add_up(void)
{
	struct made *m = scopes_and_events("before_%d");

	return waymark_configure(STRATO "type=scopes", &error) == 0 && are(m, false, true) &&
	       waymark_configure("type=events,backend=log", &error) == 0 && are(m, true, true) &&
	       waymark_configure("enable=-.", &error) == 0 && are(m, false, false);
}

static void type_is_about_objects_now_and_later(void **state)
{
	(void)state;
	assert_true(in_child(type_all));
	assert_true(in_child(type_events));
	assert_true(in_child(type_scopes));
	assert_true(in_child(types_add_up));
}

static bool list_with_an_error(void)
{
	struct made *m = scopes_and_events("before_%d");
	char text[128];

	write_list("before\nb[\n");
	snprintf(text, sizeof(text), STRATO "type=all,file=%s", list);
	return waymark_configure(text, &error) < 0 &&
	       strstr(error.text, ":2: regular expression") && are(m, false, false) &&
	       waymark_configure("before_0", &error) == 0 && waymark_get_state(&m->events[0]) &&
	       !waymark_get_state(&m->events[1]);
}

static void one_wrong_line_changes_nothing(void **state)
{
	(void)state;
	assert_true(in_child(list_with_an_error));
}

#define MANY 5000

/* Many more names than the limit of expressions; anchors alone need no expression. */
static bool long_list(void)
{
	char text[128];
	FILE *f = fopen(list, "w");

	for (int i = 0; i < MANY; i++) {
		fprintf(f, i % 2 ? "^event_%d$\n" : "event_%d_\n", i);
	}
	fclose(f);
	struct made *m = made_registered("event_%d", 300, WAYMARK_LOG);

	snprintf(text, sizeof(text), STRATO "events=%s", list);
	if (waymark_configure(text, &error) < 0) {
		return false;
	}
	struct made *later = made_registered("event_%d_", 300, WAYMARK_LOG);

	return waymark_get_state(&m->events[1]) && !waymark_get_state(&m->events[2]) &&
	       waymark_get_state(&later->events[2]) && !waymark_get_state(&later->events[1]);
}

static void list_may_have_thousands_of_names(void **state)
{
	(void)state;
	assert_true(in_child(long_list));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(option_with_nothing_in_it_is_an_error),
		cmocka_unit_test(dialect_is_chosen_once),
		cmocka_unit_test(type_is_about_objects_now_and_later),
		cmocka_unit_test(scopes_are_listed_and_switched_as_events_are),
		cmocka_unit_test(one_wrong_line_changes_nothing),
		cmocka_unit_test(list_may_have_thousands_of_names),
	};
	int fd = mkstemp(list);

	if (fd < 0) {
		return 1;
	}
	close(fd);
	int result = cmocka_run_group_tests_name("dialect", tests, NULL, NULL);

	unlink(list);
	return result;
}
