/* SPDX-License-Identifier: MIT */
/*
 * Programs block signals, pin threads, set priorities, change directories, vfork and
 * limit themselves around their first event. The recorder must not depend on these
 * settings, and its writer must not inherit them.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"
#include "rt/record/drain.h"
#include "rt/sink/sink.h"

#define EVENTS 100

static void check_file(const char *name, pid_t pid, unsigned int events)
{
	struct trace t;

	read_trace(&t, name, pid);
	assert_int_equal(check_order(&t, 1), events);
	trace_free(&t);
}

static void block_and_record(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1); /* for example for a signalfd: it has no handler */
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	waymark_sink_simple.set_file("blocked", false, NULL);
	record_pairs(0, EVENTS);
	wait_for_size("blocked", 24 + EVENTS * 48);
	_exit(0);
}

static void blocked_signals_do_not_put_the_writer_off(void **state)
{
	(void)state;
	assert_int_equal(run(block_and_record), 0);
	check_file("blocked", 0, EVENTS);
}

static void vfork_and_record(void)
{
	waymark_sink_simple.set_file("vforked", false, NULL);
	pid_t pid = vfork();

	if (pid == 0) {
		trace_pair(1, 0);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	record_pairs(1, 10);
	sleep_ms(300);
	waymark_drain_find_dead();
	if (waymark_recorder_flush()) {
		_exit(1);
	}
	record_pairs(10, 20);
	_exit(waymark_recorder_flush() ? 2 : 0);
}

/* Between vfork and exec the child runs on its parent's memory, but is not the parent. */
static void a_first_event_between_vfork_and_exec_takes_nothing_away(void **state)
{
	uint64_t begin = now_ns();

	(void)state;
	if (UNDER_SANITIZER) {
		skip_because(SKIP_SANITIZER);
	}
	if (!vfork_shares_memory()) {
		skip_because(SKIP_VFORK);
	}
	assert_int_equal(run(vfork_and_record), 0);
	assert_true(now_ns() - begin < 2000000000u);
	check_file("vforked", 0, 20);
}

static void record_in_a_sandbox(void)
{
	waymark_sink_simple.set_file("sandbox", false, NULL);
	forbid_call(SYS_tgkill, 0, EPERM); /* as sandboxes do */
	record_pairs(0, 10);
	waymark_drain_find_dead();
	waymark_recorder_flush();
	record_pairs(10, 20);
	waymark_recorder_flush();
	_exit(0);
}

static void a_sandbox_makes_no_thread_look_dead(void **state)
{
	int status;

	(void)state;
	if (UNDER_SANITIZER) {
		skip_because(SKIP_SANITIZER);
	}
	status = run(record_in_a_sandbox);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		skip_because(SKIP_SECCOMP);
	}
	assert_int_equal(status, 0);
	check_file("sandbox", 0, 20);
}

static void name_a_file_under_a_limit(void)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_FSIZE, &none);
	_exit(waymark_sink_simple.set_file("limited", false, NULL) < 0 ? 7 : 8);
}

static void naming_a_file_that_takes_nothing_is_an_error_and_no_signal(void **state)
{
	(void)state;
	int status = run(name_a_file_under_a_limit);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}

static pid_t find_writer(void)
{
	DIR *tasks = opendir("/proc/self/task");
	pid_t found = 0;

	for (struct dirent *e; (e = readdir(tasks));) {
		char path[300], name[32] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", e->d_name);
		f = fopen(path, "r");
		if (f && fgets(name, sizeof(name), f) && strcmp(name, "waymark\n") == 0) {
			found = (pid_t)atoi(e->d_name);
		}
		if (f) {
			fclose(f);
		}
	}
	closedir(tasks);
	return found;
}

/* Like a processor thread of an emulator: bound to one processor, with priority over all others. */
static void *record_pinned(void *unused)
{
	struct sched_param first = { .sched_priority = 1 };
	cpu_set_t one;

	(void)unused;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &first)) {
		_exit(77);
	}
	trace_pair(1, 0);
	return NULL;
}

static void pin_and_record(void)
{
	cpu_set_t mine, writers;
	pthread_t t;
	pid_t writer;

	waymark_sink_simple.set_file("pinned", false, NULL);
	pthread_create(&t, NULL, record_pinned, NULL);
	pthread_join(t, NULL);
	waymark_recorder_flush();
	writer = find_writer();
	/* A direct system call, because musl's function does not call the kernel. */
	if (!writer || syscall(SYS_sched_getscheduler, writer) != SCHED_OTHER) {
		_exit(1);
	}
	sched_getaffinity(0, sizeof(mine), &mine);
	sched_getaffinity(writer, sizeof(writers), &writers);
	_exit(CPU_EQUAL(&mine, &writers) ? 0 : 2);
}

static void a_pinned_thread_does_not_pin_the_writer(void **state)
{
	(void)state;
	int status = run(pin_and_record);

	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		skip_because("no thread may have a priority here");
	}
	assert_int_equal(status, 0);
}

static void record_and_move(void)
{
	record_pairs(0, EVENTS);
	if (chdir("elsewhere")) {
		_exit(1);
	}
}

static void the_default_file_is_where_the_first_event_was(void **state)
{
	pid_t pid;

	(void)state;
	assert_int_equal(mkdir("elsewhere", 0700), 0);
	assert_int_equal(run_with_pid(record_and_move, &pid), 0);
	check_file("trace-", pid, EVENTS);
}

static void record_without_memory(void)
{
	limit_memory();
	record_pairs(0, EVENTS);
}

static void events_without_any_memory_are_counted_at_exit(void **state)
{
	char said[1024];

	(void)state;
	if (UNDER_SANITIZER) {
		skip_because(SKIP_SANITIZER);
	}
	int status = run_and_listen(record_without_memory, said, sizeof(said));

	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		skip_because(SKIP_LIMIT);
	}
	assert_int_equal(status, 0);
	assert_non_null(strstr(said, "100 events lost"));
}

/* A memory error reported by the processor is not raised again by itself. */
static void get_a_memory_error(void)
{
	struct rlimit none = { 0, 0 };
	siginfo_t info = { .si_signo = SIGBUS, .si_code = BUS_MCEERR_AO };

	setrlimit(RLIMIT_CORE, &none);
	waymark_sink_simple.set_file("machine", false, NULL);
	record_pairs(0, EVENTS);
	syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SIGBUS, &info);
	_exit(7);
}

static void a_signal_that_does_not_recur_still_ends_the_program(void **state)
{
	(void)state;
	if (UNDER_SANITIZER) {
		skip_because(SKIP_SANITIZER);
	}
	if (!faults_can_be_sent()) {
		skip_because(SKIP_FAULT);
	}
	int status = run(get_a_memory_error);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGBUS);
	check_file("machine", 0, EVENTS);
}

/* Records more than the pipe holds. Its reader reads nothing, or almost nothing. */
static void fill_a_pipe(void)
{
	waymark_sink_simple.set_file("pipe", false, NULL);
	record_pairs(0, 20000);
}

static void fill_a_pipe_and_crash(void)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	fill_a_pipe();
	abort();
}

static void a_pipe_without_a_reader_does_not_delay_the_exit(void **state)
{
	char said[1024];

	(void)state;
	assert_int_equal(mkfifo("pipe", 0600), 0);
	int keep = open("pipe", O_RDWR);
	uint64_t begin = now_ns();

	assert_int_equal(run_and_listen(fill_a_pipe, said, sizeof(said)), 0);
	assert_in_range((now_ns() - begin) / 100000000u, 29, 300);
	assert_non_null(strstr(said, "the trace file accepts no data"));
	close(keep);
	unlink("pipe");
}

static void *sip(void *fd)
{
	char byte[4096];

	while (read((int)(intptr_t)fd, byte, sizeof(byte)) > 0) {
		sleep_ms(100);
	}
	return NULL;
}

static void a_slow_reader_does_not_hold_up_a_crash(void **state)
{
	pthread_t t;

	(void)state;
	if (UNDER_SANITIZER) {
		skip_because(SKIP_SANITIZER);
	}
	assert_int_equal(mkfifo("pipe", 0600), 0);
	int keep = open("pipe", O_RDWR);

	pthread_create(&t, NULL, sip, (void *)(intptr_t)keep);
	uint64_t begin = now_ns();

	assert_int_equal(WTERMSIG(run(fill_a_pipe_and_crash)), SIGABRT);
	assert_in_range((now_ns() - begin) / 100000000u, 0, 150);
	pthread_cancel(t);
	pthread_join(t, NULL);
	close(keep);
	unlink("pipe");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocked_signals_do_not_put_the_writer_off),
		cmocka_unit_test(a_first_event_between_vfork_and_exec_takes_nothing_away),
		cmocka_unit_test(a_sandbox_makes_no_thread_look_dead),
		cmocka_unit_test(naming_a_file_that_takes_nothing_is_an_error_and_no_signal),
		cmocka_unit_test(a_pinned_thread_does_not_pin_the_writer),
		cmocka_unit_test(the_default_file_is_where_the_first_event_was),
		cmocka_unit_test(events_without_any_memory_are_counted_at_exit),
		cmocka_unit_test(a_signal_that_does_not_recur_still_ends_the_program),
		cmocka_unit_test(a_pipe_without_a_reader_does_not_delay_the_exit),
		cmocka_unit_test(a_slow_reader_does_not_hold_up_a_crash),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
