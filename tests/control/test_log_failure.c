/* SPDX-License-Identifier: MIT */
/*
 * Log lines that cannot be written, and descriptors that the program closes: neither
 * may harm the traced program.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "log_fixture.h"

static uint64_t lost(void)
{
	struct waymark_stats stats;

	waymark_get_stats(&stats);
	return stats.log_lost;
}

/* Runs `body` in a child with standard error in `err`, and asserts that it exits with 0. */
static void in_child(int (*body)(void), const char *err)
{
	pid_t pid = fork();

	if (pid == 0) {
		int fd = open(err, O_WRONLY | O_CREAT | O_APPEND, 0600);

		dup2(fd, STDERR_FILENO);
		_exit(body());
	}
	int status;

	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static int log_to_full_disk(void)
{
	uint64_t before = lost();

	waymark_set_output("log", "/dev/full", &error);
	for (int i = 0; i < 1000; i++) {
		trace_probe(i);
	}
	return lost() - before == 1000 ? 0 : 1;
}

static void full_disk_is_counted_and_told_once(void **state)
{
	char err[320];

	(void)state;
	snprintf(err, sizeof(err), "%s/err-full", folder);
	in_child(log_to_full_disk, err);
	assert_string_equal(content_of(err),
		"waymark: log: cannot write to the file: No space left "
		"on device; lines are lost\n");
}

/* A child that ends by exit() reports its losses; its parent here does not. */
static int log_in_a_child_of_the_loser(void)
{
	int status;

	waymark_set_output("log", "/dev/full", &error);
	trace_probe(1);
	trace_probe(2);
	uint64_t before = lost();
	pid_t child = fork();

	if (child == 0) {
		trace_probe(3);
		exit(lost() == 1 ? 0 : 1);
	}
	waitpid(child, &status, 0);
	return lost() == before ? status : 2;
}

static void a_forked_child_tells_what_it_lost_itself(void **state)
{
	char err[320];

	(void)state;
	snprintf(err, sizeof(err), "%s/err-fork", folder);
	in_child(log_in_a_child_of_the_loser, err);
	assert_string_equal(content_of(err),
		"waymark: log: cannot write to the file: No space left on device; lines are lost\n"
		"waymark: log: 1 lines could not be written\n");
}

static int log_to_closed_stderr(void)
{
	uint64_t before = lost();

	waymark_set_output("log", NULL, &error);
	close(STDERR_FILENO);
	trace_probe(1);
	return lost() - before == 1 ? 0 : 1;
}

static void closed_standard_error_is_counted(void **state)
{
	(void)state;
	in_child(log_to_closed_stderr, "/dev/null");
}

static int log_to_broken_pipe(void)
{
	int ends[2];
	uint64_t before = lost();
	sigset_t pending;

	if (pipe(ends) < 0) {
		return 1;
	}
	waymark_set_output("log", NULL, &error);
	signal(SIGPIPE, SIG_DFL);
	dup2(ends[1], STDERR_FILENO);
	close(ends[0]);
	trace_probe(1);
	sigpending(&pending);
	if (sigismember(&pending, SIGPIPE) || lost() - before != 1) {
		return 2;
	}
	/* The program's own SIGPIPE, blocked and pending, must stay pending. */
	sigset_t sigpipe;

	sigemptyset(&sigpipe);
	sigaddset(&sigpipe, SIGPIPE);
	sigprocmask(SIG_BLOCK, &sigpipe, NULL);
	raise(SIGPIPE);
	trace_probe(2);
	sigpending(&pending);
	return sigismember(&pending, SIGPIPE) ? 0 : 3;
}

static void pipe_without_reader_raises_no_signal(void **state)
{
	(void)state;
	in_child(log_to_broken_pipe, "/dev/null");
}

/* The file's limit allows two lines and part of the third. */
static int log_beyond_the_limit(void)
{
	uint64_t before = lost();
	sigset_t pending;
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = 2 * strlen("probe value=1\n") + 5;
	setrlimit(RLIMIT_FSIZE, &limit);
	signal(SIGXFSZ, SIG_DFL);
	for (int i = 1; i <= 4; i++) {
		trace_probe(i);
	}
	sigpending(&pending);
	if (sigismember(&pending, SIGXFSZ) || lost() - before != 2) {
		return 1;
	}
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
	trace_probe(5);
	trace_probe(6);
	return 0;
}

static void a_limit_of_file_sizes_raises_no_signal_and_lines_stay_apart(void **state)
{
	char err[320];

	(void)state;
	snprintf(err, sizeof(err), "%s/err-limit", folder);
	in_child(log_beyond_the_limit, err);
	assert_string_equal(content_of(err), "waymark: log: cannot write to the");
	assert_string_equal(content_of(path), "probe value=1\nprobe value=2\nprobe\n"
					      "probe value=5\nprobe value=6\n");
}

static int log_to_stuck_pipe(void)
{
	int ends[2];
	uint64_t before = lost();
	struct timespec begin;
	struct timespec end;

	if (pipe2(ends, O_NONBLOCK) < 0) {
		return 1;
	}
	waymark_set_output("log", NULL, &error);
	dup2(ends[1], STDERR_FILENO);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int i = 0; i < 20000; i++) {
		trace_probe(i);
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	return lost() > before && end.tv_sec - begin.tv_sec < 10 ? 0 : 2;
}

static void full_nonblocking_pipe_stops_nobody(void **state)
{
	(void)state;
	in_child(log_to_stuck_pipe, "/dev/null");
}

static int close_all_then_log(void)
{
	char own[320];
	struct stat st;

	snprintf(own, sizeof(own), "%s/own", folder);
	closefrom(3);
	int fds[8];

	for (int i = 0; i < 8; i++) {
		fds[i] = open(own, O_WRONLY | O_CREAT, 0600);
	}
	trace_probe(1);
	trace_probe(2);
	for (int i = 0; i < 8; i++) {
		if (fstat(fds[i], &st) < 0 || st.st_size > 0) {
			return 1;
		}
	}
	return 0;
}

static void descriptor_taken_by_the_program_is_never_written_to(void **state)
{
	(void)state;
	in_child(close_all_then_log, "/dev/null");
	assert_string_equal(content_of(path), "probe value=1\nprobe value=2\n");
}

static void *log_many(void *unused)
{
	for (int i = 0; i < 20000; i++) {
		trace_probe(i);
	}
	return unused;
}

static int log_while_all_is_closed(void)
{
	pthread_t threads[3];
	uint64_t before = lost();

	trace_probe(0);
	for (int i = 0; i < 3; i++) {
		pthread_create(&threads[i], NULL, log_many, NULL);
	}
	for (int i = 0; i < 300; i++) {
		closefrom(3);
		usleep(100);
	}
	for (int i = 0; i < 3; i++) {
		pthread_join(threads[i], NULL);
	}
	return lost() == before ? 0 : 2;
}

static void file_that_is_closed_under_writers_loses_no_line(void **state)
{
	(void)state;
	in_child(log_while_all_is_closed, "/dev/null");
}

static int log_after_leaving_the_directory(void)
{
	if (chdir(folder) < 0 || waymark_set_output("log", "relative", &error) < 0 ||
		chdir("/") < 0) {
		return 1;
	}
	closefrom(3);
	trace_probe(1);
	return 0;
}

static void lost_file_is_opened_anew_where_it_was(void **state)
{
	char file[320];

	(void)state;
	in_child(log_after_leaving_the_directory, "/dev/null");
	snprintf(file, sizeof(file), "%s/relative", folder);
	assert_string_equal(content_of(file), "probe value=1\n");
}

static void fifo_without_reader_is_refused_at_once(void **state)
{
	char fifo[320];

	(void)state;
	snprintf(fifo, sizeof(fifo), "%s/fifo", folder);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(waymark_set_output("log", fifo, &error), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(full_disk_is_counted_and_told_once),
		TEST(a_forked_child_tells_what_it_lost_itself),
		TEST(closed_standard_error_is_counted),
		TEST(pipe_without_reader_raises_no_signal),
		TEST(a_limit_of_file_sizes_raises_no_signal_and_lines_stay_apart),
		TEST(full_nonblocking_pipe_stops_nobody),
		TEST(descriptor_taken_by_the_program_is_never_written_to),
		TEST(file_that_is_closed_under_writers_loses_no_line),
		TEST(lost_file_is_opened_anew_where_it_was),
		TEST(fifo_without_reader_is_refused_at_once),
	};

	return cmocka_run_group_tests_name("log failure", tests, enter_folder, leave_folder);
}
