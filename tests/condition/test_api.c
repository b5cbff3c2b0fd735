/* SPDX-License-Identifier: MIT */
/* Conditions by the API: which events have them, and what removes them; signal handlers. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

#include <waymark/control.h>

#include TRACE_HEADER

static struct waymark_error error;
static struct waymark_match match;

static int enable(const char *text, unsigned int backends)
{
	return waymark_enable(text, backends, &match, &error);
}

static const char *condition_of(const char *name)
{
	static char text[200];

	waymark_get_condition(waymark_find(name), text, sizeof(text));
	return text;
}

static unsigned int state_of(const char *name)
{
	return waymark_get_state(waymark_find(name));
}

static int all_off(void **state)
{
	(void)state;
	return waymark_disable("*", WAYMARK_ANY_BACKEND, NULL, NULL);
}

static void a_condition_is_shown_until_it_is_removed(void **state)
{
	struct waymark_event_list list;

	(void)state;
	assert_int_equal(enable("wide_if if u > 1 && e == write", WAYMARK_ANY_BACKEND), 0);
	assert_string_equal(condition_of("wide_if"), "u > 1 && e == write");
	assert_int_equal(state_of("wide_if"), WAYMARK_CTF | WAYMARK_LOG);
	assert_int_equal(waymark_list_events("wide_if", &list, NULL), 0);
	assert_string_equal(list.events[0].condition, "u > 1 && e == write");
	waymark_free_events(&list);
	assert_int_equal(enable("wide_if if u > 2", WAYMARK_ANY_BACKEND), 0);
	assert_string_equal(condition_of("wide_if"), "u > 2");
	assert_int_equal(enable("wide_if", WAYMARK_ANY_BACKEND), 0);
	assert_string_equal(condition_of("wide_if"), "");
	assert_int_equal(enable("wide_if if u > 2", WAYMARK_ANY_BACKEND), 0);
	all_off(NULL);
	assert_string_equal(condition_of("wide_if"), "");
	assert_int_equal(state_of("wide_if"), 0);
}

static void one_backend_can_be_without_it(void **state)
{
	(void)state;
	assert_int_equal(enable("wide_if if u > 1", WAYMARK_CTF | WAYMARK_LOG), 0);
	assert_int_equal(enable("wide_if", WAYMARK_LOG), 0);
	assert_int_equal(state_of("wide_if"), WAYMARK_CTF | WAYMARK_LOG);
	assert_string_equal(condition_of("wide_if"), "u > 1");
	assert_int_equal(waymark_set_state(waymark_find("wide_if"), WAYMARK_CTF, true, &error), 0);
	assert_string_equal(condition_of("wide_if"), "");
}

static void events_that_it_does_not_fit_stay_as_they_are(void **state)
{
	(void)state;
	assert_int_equal(enable("wide_if", WAYMARK_CTF), 0);
	assert_int_equal(enable("*_if if u8 > 1", WAYMARK_ANY_BACKEND), 0);
	assert_int_equal(match.events, 1);
	assert_string_equal(
		match.misfits.text, "'*_if': the condition does not fit wide_if, typed_if");
	assert_string_equal(condition_of("narrow_if"), "u8 > 1");
	assert_string_equal(condition_of("wide_if"), "");
	assert_int_equal(state_of("wide_if"), WAYMARK_CTF);
	assert_int_equal(state_of("typed_if"), 0);
}

static void a_condition_that_fits_nothing_changes_nothing(void **state)
{
	(void)state;
	assert_int_equal(enable("wide_if if u > 1", WAYMARK_ANY_BACKEND), 0);
	assert_int_equal(enable("wide_if if size > 1", WAYMARK_ANY_BACKEND), -1);
	assert_int_equal(enable("*_if if size > 1", WAYMARK_ANY_BACKEND), -1);
	assert_int_equal(enable("wide_if if u >", WAYMARK_ANY_BACKEND), -1);
	assert_int_equal(enable("wide_if if ", WAYMARK_ANY_BACKEND), -1);
	assert_int_equal(enable(" if u > 1", WAYMARK_ANY_BACKEND), -1);
	assert_string_equal(condition_of("wide_if"), "u > 1");
	assert_int_equal(waymark_configure("-wide_if if u > 1", &error), -1);
	assert_int_equal(waymark_configure("wide_if if u > 5,nosuch=1", &error), -1);
	assert_string_equal(condition_of("wide_if"), "u > 1");
	assert_int_equal(enable("nosuch if u > 1", WAYMARK_ANY_BACKEND), 0);
	assert_int_equal(match.events, 0);
}

static int from_file(const char *text)
{
	FILE *f = fopen("events", "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	int result = waymark_enable_from_file("events", WAYMARK_ANY_BACKEND, &match, &error);

	unlink("events");
	return result;
}

static void lines_of_a_file_have_conditions(void **state)
{
	(void)state;
	assert_int_equal(from_file("# of a file\nwide_if if u > 1 && s =~ \"vir*\"\r\n"
				   "/^narrow_/ if i8 < 0 && i8 / 2 == -3\n-narrow_all\n"),
		0);
	assert_string_equal(condition_of("wide_if"), "u > 1 && s =~ \"vir*\"");
	assert_string_equal(condition_of("narrow_if"), "i8 < 0 && i8 / 2 == -3");
	assert_int_equal(state_of("narrow_all"), 0);
	assert_int_equal(from_file("narrow_if\nwide_if if u >\n"), -1);
	assert_string_equal(error.text,
		"events:2: condition 'u >': column 4: the expression ends where an operand is expected");
	assert_string_equal(condition_of("narrow_if"), "i8 < 0 && i8 / 2 == -3");
}

static void fire(uint64_t u)
{
	trace_wide_if(1, -5, u, 1, 7, "virtio0", 'c', NULL, "text");
}

static uint64_t recorded(void)
{
	struct waymark_stats stats;

	waymark_get_stats(&stats);
	return stats.recorded;
}

static void a_pair_begins_although_a_newer_rule_fits_other_events(void **state)
{
	uint64_t before = recorded();

	(void)state;
	assert_int_equal(enable("*_if if elapsed(narrow_all by k) >= 0", WAYMARK_CTF), 0);
	assert_int_equal(enable("*_if if u8 > 1", WAYMARK_CTF), 0);
	assert_string_equal(condition_of("wide_if"), "elapsed(narrow_all by k) >= 0");
	trace_narrow_all(1, 0, 0, 0, 0, 0, 0, false);
	fire(100);
	assert_int_equal(recorded() - before, 1);
	fire(100);
	assert_int_equal(recorded() - before, 1);
}

static uint64_t recorded_of(struct waymark_debug any)
{
	uint64_t before = recorded();

	trace_typed_if(1, 0, 0, "", waymark_i128_of(0, 1), any, 0);
	return recorded() - before;
}

static void what_describes_an_object_has_no_value(void **state)
{
	(void)state;
	assert_int_equal(enable("typed_if if any >= -99 || any < -99", WAYMARK_CTF), 0);
	assert_int_equal(recorded_of(waymark_debug_i32(5)), 1);
	assert_int_equal(recorded_of(waymark_debug_file(5)), 0);
	assert_int_equal(recorded_of(waymark_debug_owned_fd(5)), 0);
	assert_int_equal(recorded_of(waymark_debug_borrowed_fd(5)), 0);
	assert_int_equal(recorded_of(waymark_debug_eventfd(5)), 0);
	assert_int_equal(recorded_of(waymark_debug_duration(5, 6)), 0);
	assert_int_equal(recorded_of(waymark_debug_bytes("5", 1)), 0);
}

static volatile uint64_t passed; /* calls of the handler whose condition is true */

static void handle(int sig)
{
	(void)sig;
	fire(passed % 2 ? 100 : 1);
	passed++;
}

static void handlers_decide_in_the_middle_of_a_decision(void **state)
{
	struct sigaction act = { .sa_handler = handle };
	struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { { 0, 0 }, { 0, 0 } };
	uint64_t before = recorded();

	(void)state;
	assert_int_equal(enable("wide_if if s =~ \"v*0\" && u * 2 > 100", WAYMARK_CTF), 0);
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	errno = 77;
	for (uint64_t i = 0; i < 300000; i++) {
		fire(i % 2 ? 100 : 1);
	}
	assert_int_equal(errno, 77);
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_DFL);
	assert_true(passed > 10);
	assert_int_equal(recorded() - before, 150000 + passed / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_condition_is_shown_until_it_is_removed, all_off),
		cmocka_unit_test_teardown(one_backend_can_be_without_it, all_off),
		cmocka_unit_test_teardown(events_that_it_does_not_fit_stay_as_they_are, all_off),
		cmocka_unit_test_teardown(a_condition_that_fits_nothing_changes_nothing, all_off),
		cmocka_unit_test_teardown(lines_of_a_file_have_conditions, all_off),
		cmocka_unit_test_teardown(
			a_pair_begins_although_a_newer_rule_fits_other_events, all_off),
		cmocka_unit_test_teardown(what_describes_an_object_has_no_value, all_off),
		cmocka_unit_test_teardown(handlers_decide_in_the_middle_of_a_decision, all_off),
	};
	const char *place = getenv("TMPDIR"); /* tools/contained empties it */
	char folder[4096];

	snprintf(folder, sizeof(folder), "%s/condition-XXXXXX", place ? place : "/tmp");
	if (!mkdtemp(folder) || chdir(folder) ||
		waymark_configure("file=api.ctf,log.file=api.log", &error)) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
