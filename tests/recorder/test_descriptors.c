/* SPDX-License-Identifier: MIT */
/*
 * The program's descriptors and the writer's never conflict, whatever the program closes or opens;
 * and traces can be written to pipes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"
#include "rt/sink/sink.h"

/* Replaces closefrom(3), which musl lacks; no test opens that many descriptors. */
static void close_all(void)
{
	for (int fd = 3; fd < 1024; fd++) {
		close(fd);
	}
}

static void close_everything(void)
{
	int mine[64];

	set_simple_file("closed");
	record_pairs(0, 1000);
	waymark_recorder_flush();
	close_all();
	for (int i = 0; i < 64; i++) { /* now every low number is a file of the program */
		mine[i] = open("precious", O_CREAT | O_RDWR, 0600);
	}
	record_pairs(1000, 2000);
	waymark_recorder_flush();
	close_all();
	record_pairs(2000, 3000);
	exit(mine[0] == 3 && mine[63] == 66 ? 0 : 1);
}

static void closefrom_hurts_neither_the_trace_nor_the_program(void **state)
{
	struct trace t;

	(void)state;
	assert_int_equal(run(close_everything), 0);
	assert_int_equal(file_size("precious"), 0);
	read_trace(&t, "closed", 0);
	assert_int_equal(check_order(&t, 1), 3000);
	trace_free(&t);
}

static void hold_no_pipe(void)
{
	int ends[2];
	char c;

	if (pipe(ends)) {
		exit(1);
	}
	set_simple_file("pipe");
	record_pairs(0, 10);
	waymark_recorder_flush();
	close(ends[1]);
	exit(read(ends[0], &c, 1) == 0 ? 0 : 2); /* hangs if a process still holds the other end */
}

static void the_writer_holds_no_descriptor_of_the_program(void **state)
{
	(void)state;
	assert_int_equal(run(hold_no_pipe), 0);
}

static void record_into_a_pipe(void)
{
	set_simple_file("fifo");
	record_pairs(0, 5000);
}

static void a_fifo_is_a_file_too(void **state)
{
	struct trace t;

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	int keep = open("fifo", O_RDWR);
	pid_t reader = fork();

	if (reader == 0) {
		close(keep);
		execlp("sh", "sh", "-c", "cat < fifo > from-fifo", NULL);
		_exit(1);
	}
	assert_int_equal(run(record_into_a_pipe), 0);
	close(keep);
	waitpid(reader, NULL, 0);
	read_trace(&t, "from-fifo", 0);
	assert_int_equal(check_order(&t, 1), 5000);
	trace_free(&t);
}

static void record_into_a_broken_pipe(void)
{
	int fd = open("fifo", O_RDONLY | O_NONBLOCK);

	set_simple_file("fifo");
	record_pairs(0, 10);
	waymark_recorder_flush();
	close(fd);
	record_pairs(10, 20);
	if (waymark_recorder_flush() == 0 || errno != EPIPE) {
		exit(1);
	}
}

static void a_broken_pipe_sends_no_signal(void **state)
{
	char said[4096];

	(void)state;
	assert_int_equal(run_and_listen(record_into_a_broken_pipe, said, sizeof(said)), 0);
	assert_non_null(strstr(said, "Broken pipe"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closefrom_hurts_neither_the_trace_nor_the_program),
		cmocka_unit_test(the_writer_holds_no_descriptor_of_the_program),
		cmocka_unit_test(a_fifo_is_a_file_too),
		cmocka_unit_test(a_broken_pipe_sends_no_signal),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
