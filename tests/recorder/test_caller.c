/* SPDX-License-Identifier: MIT */
/*
 * A process that cannot start a writer thread, simulated by a replaced function: its own threads
 * drain, and never wait forever to do so.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support.h"

int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*main)(void *), void *arg);

int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*main)(void *), void *arg)
{
	(void)t, (void)a, (void)main, (void)arg;
	return EAGAIN;
}

static void end_with_a_full_pipe(void)
{
	set_simple_file("fifo");
	record_pairs(0, 5000);
	if (waymark_recorder_flush() == 0) {
		exit(1);
	}
	exit(0);
}

static void a_pipe_without_a_reader_does_not_delay_the_end(void **state)
{
	char said[4096];

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	int keep = open("fifo", O_RDWR);

	assert_int_equal(run_and_listen(end_with_a_full_pipe, said, sizeof(said)), 0);
	assert_non_null(strstr(said, "Resource temporarily unavailable"));
	assert_non_null(strstr(said, "not written"));
	close(keep);
}

static void write_a_file(void)
{
	set_simple_file("plain");
	record_pairs(0, 5000);
}

static void a_file_has_all(void **state)
{
	struct trace t;

	(void)state;
	assert_int_equal(run(write_a_file), 0);
	read_trace(&t, "plain", 0);
	assert_int_equal(check_order(&t, 1), 5000);
	trace_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pipe_without_a_reader_does_not_delay_the_end),
		cmocka_unit_test(a_file_has_all),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
