/* SPDX-License-Identifier: MIT */
/*
 * A writer that cannot get a descriptor table of its own, simulated by a replaced function: the
 * program can close the descriptor of the trace file and open something else under its number.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rt/host/thread.h"
#include "support.h"

#define OPEN 8

int __wrap_waymark_own_descriptors(int low, int high);

int __wrap_waymark_own_descriptors(int low, int high)
{
	(void)low;
	(void)high;
	return -1;
}

static void close_and_open(int *mine)
{
	for (int fd = 3; fd < 1024; fd++) {
		close(fd);
	}
	for (int i = 0; i < OPEN; i++) {
		mine[i] = open("mine", O_CREAT | O_RDWR, 0600);
	}
}

static void name_another_file(void)
{
	struct stat wanted;
	struct stat st;
	int mine[OPEN];

	set_simple_file("one");
	record_pairs(0, 10);
	waymark_recorder_flush();
	close_and_open(mine);
	set_simple_file("two");
	record_pairs(0, 10);
	waymark_recorder_flush();
	for (int i = 0; i < OPEN; i++) {
		if (stat("mine", &wanted) || fstat(mine[i], &st) || st.st_ino != wanted.st_ino) {
			exit(1);
		}
	}
	exit(0);
}

static void the_programs_files_stay_open(void **state)
{
	struct trace t;

	(void)state;
	assert_int_equal(run(name_another_file), 0);
	assert_int_equal(file_size("mine"), 0);
	read_trace(&t, "two", 0);
	assert_int_equal(check_order(&t, 1), 10);
	trace_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_programs_files_stay_open),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
