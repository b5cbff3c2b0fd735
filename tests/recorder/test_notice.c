/* SPDX-License-Identifier: MIT */
/*
 * The writer's messages are printed by the next thread that records: each line, in order, and
 * the number of missing lines if more wait than there is room for.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support.h"
#include "rt/record/process.h"

#define THREADS 4
#define EACH 2000

static char said[THREADS * EACH * 64];

/* Runs a child that must succeed; `said` gets its standard error. */
static void check(void (*body)(void))
{
	assert_int_equal(run_and_listen(body, said, sizeof(said)), 0);
}

static unsigned int lines(void)
{
	unsigned int n = 0;

	for (const char *s = said; (s = strchr(s, '\n')); s++) {
		n++;
	}
	return n;
}

static void leave_three(void)
{
	struct process *p = waymark_process();

	waymark_notice(p, "the first of %u", 3u);
	waymark_notice(p, "the second");
	waymark_notice(p, "the third");
	waymark_notice_say(p);
	waymark_notice_say(p); /* the second call must print no line */
	_exit(0);
}

static void all_that_wait_are_said_once_in_their_order(void **state)
{
	(void)state;
	check(leave_three);
	assert_string_equal(
		said, "waymark: the first of 3\nwaymark: the second\nwaymark: the third\n");
}

static void leave_before_an_event(void)
{
	waymark_notice(waymark_process(), "the first");
	waymark_notice(waymark_process(), "the second");
	trace_pair(1, 0);
	_exit(0);
}

static void an_event_says_all_of_them(void **state)
{
	(void)state;
	check(leave_before_an_event);
	assert_string_equal(said, "waymark: the first\nwaymark: the second\n");
}

static void leave_too_many(void)
{
	struct process *p = waymark_process();

	for (unsigned int i = 0; i < NOTICES + 3; i++) {
		waymark_notice(p, "number %u", i);
	}
	waymark_notice_say(p);
	waymark_notice(p, "and there is room again");
	waymark_notice_say(p);
	_exit(0);
}

static void it_is_said_how_many_found_no_room(void **state)
{
	(void)state;
	check(leave_too_many);
	assert_int_equal(lines(), NOTICES + 2);
	assert_non_null(strstr(said, "waymark: 3 more messages came too fast and were dropped\n"
				     "waymark: and there is room again\n"));
}

static void *leave_many(void *unused)
{
	struct process *p = waymark_process();

	(void)unused;
	for (unsigned int i = 0; i < EACH; i++) {
		waymark_notice(p, "one of many");
		if (i % 7 == 0) {
			waymark_notice_say(p);
		}
	}
	return NULL;
}

static void leave_from_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, leave_many, NULL)) {
			_exit(10);
		}
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
	}
	waymark_notice_say(waymark_process());
	_exit(0);
}

/* Returns the number of printed lines, plus those that are reported as missing. */
static unsigned int account(void)
{
	unsigned int n = 0;

	for (char *line = strtok(said, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned int missing;
		bool whole = strcmp(line, "waymark: one of many") == 0;

		assert_true(whole || sscanf(line, "waymark: %u more messages came", &missing) == 1);
		n += whole ? 1 : missing;
	}
	return n;
}

static void threads_lose_none_uncounted(void **state)
{
	(void)state;
	check(leave_from_threads);
	assert_int_equal(account(), THREADS * EACH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_wait_are_said_once_in_their_order),
		cmocka_unit_test(an_event_says_all_of_them),
		cmocka_unit_test(it_is_said_how_many_found_no_room),
		cmocka_unit_test(threads_lose_none_uncounted),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
