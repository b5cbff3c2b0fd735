/* SPDX-License-Identifier: MIT */
/*
 * The start of the writer. A signal handler that interrupted the starting thread and
 * waited for the writer would wait for its own thread: pthread_sigmask() is wrapped
 * to check that no handler runs there.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include "ctf_pairs.h"
#include "rt/record/process.h"

int __real_pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *old);

static pthread_t starter; /* excludes the writer, which blocks signals itself */
static unsigned int seen[2]; /* calls that block all signals, before and after the writer's start */

int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	const struct process *p = waymark_process_current();

	if (p && set && sigismember(set, SIGTERM) == 1 && pthread_equal(starter, pthread_self())) {
		seen[__atomic_load_n(&p->writer, __ATOMIC_RELAXED) != WRITER_NONE]++;
	}
	return __real_pthread_sigmask(how, set, old);
}

static void start(void)
{
	starter = pthread_self();
	begin_pairs("trace", RECORDER_DISCARD, RECORDER_BUFFER_MIN);
	trace_ctf(0, 0);
	usleep(50000); /* so that the writer's calls are counted, too */
	_exit(__atomic_load_n(&waymark_process_current()->writer, __ATOMIC_RELAXED) !=
					WRITER_NONE &&
				seen[0] && !seen[1]
			? 0
			: 1);
}

static void signals_are_blocked_before_anybody_waits_for_the_writer(void **state)
{
	(void)state;
	assert_int_equal(run(start), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signals_are_blocked_before_anybody_waits_for_the_writer),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
