/* SPDX-License-Identifier: MIT */
/*
 * Cancelled threads: a trace point is no cancellation point, and a thread cancelled
 * at any of its instructions leaves no lock held. A trace point does not change its
 * thread's errno, opens no descriptor and raises no signal.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctf_pairs.h"
#include "rt/record/process.h"
#include "rt/record/stats.h"
#include "rt/sink/sink.h"

#define EVENTS 100000

static void name_files(void)
{
	if (waymark_sink_ctf.set_file("cancel.ctf", false, NULL) ||
		waymark_sink_simple.set_file("cancel.simple", false, NULL)) {
		_exit(10);
	}
}

/* Ends the child without a buffer left in /dev/shm, whatever its threads were doing. */
static _Noreturn void leave(int status)
{
	for (int k = 0; k < WAYMARK_RECORDERS; k++) {
		struct buffer *a = recorder_buffer(&waymark_process()->recorders[k]);

		if (a) {
			waymark_buffer_unlink(a);
		}
	}
	_exit(status);
}

static void check(void (*body)(void))
{
	assert_int_equal(system("rm -rf cancel.*"), 0);
	assert_int_equal(run(body), 0);
}

static uint64_t survived;

static void *record_cancelled(void *unused)
{
	(void)unused;
	pthread_cancel(pthread_self()); /* takes effect at the first cancellation point */
	for (uint64_t i = 0; i < EVENTS; i++) {
		trace_ctf(1, i);
		trace_pair(1, i);
	}
	waymark_notice(waymark_process(), "said by a thread that is cancelled");
	for (uint64_t i = 0; i < EVENTS; i++) {
		trace_ctf(2, i);
	}
	survived = 1;
	pthread_testcancel();
	survived = 2;
	return NULL;
}

static void run_thread(void *(*body)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, NULL)) {
		leave(10);
	}
	pthread_join(thread, NULL);
}

static void cancel_at_points(enum recorder_policy policy, bool alone)
{
	waymark_recorder_set_buffer(RECORDER_BUFFER_MIN, NULL);
	waymark_recorder_set_policy(policy, NULL);
	name_files();
	if (alone) {
		waymark_process()->writer = WRITER_REFUSED;
	}
	run_thread(record_cancelled);
	leave(survived == 1 ? 0 : 1);
}

static void cancel_discarding(void)
{
	cancel_at_points(RECORDER_DISCARD, false);
}

static void cancel_overwriting(void)
{
	cancel_at_points(RECORDER_OVERWRITE, true);
}

static void cancel_blocking(void)
{
	cancel_at_points(RECORDER_BLOCK, false);
}

static void no_event_is_a_point_of_cancellation(void **state)
{
	(void)state;
	check(cancel_discarding);
	check(cancel_overwriting);
	check(cancel_blocking);
}

static void *flush_cancelled(void *unused)
{
	(void)unused;
	trace_ctf(1, 0);
	trace_pair(1, 0);
	pthread_cancel(pthread_self());
	survived = waymark_recorder_flush() == 0;
	return NULL;
}

static void cancel_a_flush(void)
{
	name_files();
	run_thread(flush_cancelled);
	leave(survived ? 0 : 1);
}

static void cancel_a_flush_of_its_own(void)
{
	waymark_process()->writer = WRITER_REFUSED;
	cancel_a_flush();
}

static void no_flush_is_a_point_of_cancellation(void **state)
{
	(void)state;
	check(cancel_a_flush);
	check(cancel_a_flush_of_its_own);
}

/*
 * Number of events after which a cancelled thread counts as not cancellable: no signal takes that
 * long.
 */
#define TOO_LATE 1000000u

static uint32_t is_asked; /* all threads of a round were cancelled */

static void *record_until_cancelled(void *unused)
{
	static uint64_t next; /* threads continue a stream, and its numbers rise */
	uint32_t late = 0;
	int old;

	(void)unused;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	while (late < TOO_LATE) {
		trace_ctf(3, __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED));
		late += __atomic_load_n(&is_asked, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Cancels the threads; ends the child if one is not cancelled. */
static void cancel_all(pthread_t *threads, int count)
{
	void *result;

	for (int i = 0; i < count; i++) {
		pthread_cancel(threads[i]);
	}
	__atomic_store_n(&is_asked, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < count; i++) {
		pthread_join(threads[i], &result);
		if (result != PTHREAD_CANCELED) {
			leave(13);
		}
	}
	__atomic_store_n(&is_asked, 0, __ATOMIC_RELAXED);
}

/* Threads are cancelled at any instruction; afterwards the recorder works as before. */
static void cancel_anywhere(enum recorder_policy policy)
{
	waymark_recorder_set_buffer(2 * RECORDER_BUFFER_MIN, NULL);
	waymark_recorder_set_policy(policy, NULL);
	name_files();
	for (unsigned int round = 0; round < amount(100, 2000); round++) {
		pthread_t threads[2];

		for (int i = 0; i < 2; i++) {
			if (pthread_create(&threads[i], NULL, record_until_cancelled, NULL)) {
				leave(10);
			}
		}
		usleep(round % 10 * 20);
		cancel_all(threads, 2);
	}
	for (unsigned int i = 0; waymark_recorder_flush(); i++) {
		if (i == 10) {
			leave(11);
		}
	}
	for (uint64_t i = 0; i < 100; i++) {
		trace_ctf(4, i);
	}
	leave(waymark_recorder_flush() ? 12 : 0);
}

static void cancel_anywhere_discarding(void)
{
	cancel_anywhere(RECORDER_DISCARD);
}

static void cancel_anywhere_overwriting(void)
{
	cancel_anywhere(RECORDER_OVERWRITE);
}

static void check_anywhere(void (*body)(void))
{
	struct pairs p;

	check(body);
	read_pairs(&p, "cancel.ctf");
	assert_int_equal(check_each_once(&p, 4), 100);
	assert_in_range(check_none_twice(&p, 3), 1, UINT64_MAX);
	pairs_free(&p);
}

static void cancelled_anywhere_a_thread_takes_nobody_with_it(void **state)
{
	(void)state;
	if (UNDER_SANITIZER) {
		skip_because(SKIP_SANITIZER);
	}
	check_anywhere(cancel_anywhere_discarding);
	check_anywhere(cancel_anywhere_overwriting);
}

static unsigned int count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int count = 0;

	while (readdir(dir)) {
		count++;
	}
	closedir(dir);
	return count;
}

static volatile sig_atomic_t signals;

static void count_signal(int sig)
{
	(void)sig;
	signals++;
}

/* Checks that errno and the descriptors are unchanged, and that no signal arrived. */
static void same_as_before(unsigned int descriptors, int exit_code)
{
	if (errno != 4711 || count_descriptors() != descriptors || signals) {
		leave(exit_code);
	}
	errno = 4711;
}

static void look_closely(void)
{
	int ends[2];

	signal(SIGPIPE, count_signal);
	if (pipe(ends) || dup2(ends[1], STDERR_FILENO) < 0) {
		leave(10);
	}
	close(ends[0]); /* messages are lost */
	close(ends[1]);
	unsigned int descriptors = count_descriptors();

	errno = 4711;
	trace_ctf(1, 0);
	trace_pair(1, 0);
	same_as_before(descriptors, 1);
	waymark_notice(waymark_process(), "said to nobody");
	for (uint64_t i = 0; i < EVENTS; i++) {
		trace_ctf(2, i);
	}
	same_as_before(descriptors, 2);
	leave(0);
}

static void record_with_care(void)
{
	name_files();
	look_closely();
}

static void record_with_care_alone(void)
{
	waymark_process()->writer = WRITER_REFUSED;
	waymark_recorder_set_buffer(RECORDER_BUFFER_MIN, NULL);
	waymark_recorder_set_policy(RECORDER_OVERWRITE, NULL);
	record_with_care();
}

/* The current directory is removed, so no file can be made. */
static void record_in_vain(void)
{
	if (mkdir("cancel.gone", 0700) || chdir("cancel.gone") || rmdir("../cancel.gone")) {
		leave(10);
	}
	look_closely();
}

static void an_event_changes_nothing_of_its_thread(void **state)
{
	(void)state;
	check(record_with_care);
	check(record_with_care_alone);
	check(record_in_vain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_event_is_a_point_of_cancellation),
		cmocka_unit_test(no_flush_is_a_point_of_cancellation),
		cmocka_unit_test(cancelled_anywhere_a_thread_takes_nobody_with_it),
		cmocka_unit_test(an_event_changes_nothing_of_its_thread),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
