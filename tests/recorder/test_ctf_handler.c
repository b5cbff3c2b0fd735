/* SPDX-License-Identifier: MIT */
/*
 * First events in signal handlers that interrupt the C library while it holds its locks. The
 * recorder must take none of these locks: it would wait forever for the interrupted code below it
 * on the stack.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctf_pairs.h"
#include "rt/host/error.h"
#include "rt/record/process.h"
#include "rt/sink/sink.h"

#define EVENTS 100

/* Per thread, because others may allocate at the same time. */
static __thread volatile sig_atomic_t in_handler;
static volatile sig_atomic_t allocated;
static volatile sig_atomic_t handled;

#if !UNDER_SANITIZER && defined(__GLIBC__)
#define SEES_ALLOCATIONS 1

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);

/* These replace the C library's functions, also for its own calls. */
void *malloc(size_t size)
{
	allocated |= in_handler;
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	allocated |= in_handler;
	return __libc_calloc(count, size);
}
#else
#define SEES_ALLOCATIONS 0
#endif

/* Uses up keys, because values of later keys are not stored in the thread itself. */
#pragma GCC diagnostic ignored "-Wprio-ctor-dtor"
__attribute__((constructor(100))) static void use_up_keys(void)
{
	pthread_key_t key;

	for (int i = 0; i < 40; i++) {
		pthread_key_create(&key, NULL);
	}
}

static void trace_both(int sig)
{
	(void)sig;
	in_handler = 1;
	for (uint64_t i = 0; i < EVENTS; i++) {
		trace_ctf(1, i);
		trace_pair(1, i);
	}
	in_handler = 0;
	handled = 1;
}

static void name_files(void)
{
	struct sigaction act = { .sa_handler = trace_both };

	if (waymark_sink_ctf.set_file("handler.ctf", false, NULL) ||
		waymark_sink_simple.set_file("handler.simple", false, NULL) ||
		sigaction(SIGALRM, &act, NULL)) {
		_exit(10);
	}
}

static void allocate_nothing(void)
{
	char spare[REASON_BYTES];

	name_files();
	raise(SIGALRM);
	in_handler = 1;
	waymark_notice(waymark_process(), "%s", waymark_reason(12345, spare));
	waymark_notice_say(waymark_process());
	in_handler = 0;
	exit(allocated ? 1 : 0);
}

/* Runs a child and checks that its events are recorded. */
static void check(void (*body)(void))
{
	struct pairs p;
	pid_t pid;

	assert_int_equal(system("rm -rf handler.*"), 0);
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		body();
		exit(0);
	}
	wait_for(pid);
	read_pairs(&p, "handler.ctf");
	assert_int_equal(check_each_once(&p, 1), EVENTS);
	pairs_free(&p);
}

static void nothing_is_allocated_in_a_handler(void **state)
{
	(void)state;
	if (!SEES_ALLOCATIONS) {
		skip_because("allocations are seen with glibc alone, and without a sanitizer");
	}
	check(allocate_nothing);
}

static void trace_one(int sig)
{
	(void)sig;
	in_handler = 1;
	trace_ctf(1, 0);
	in_handler = 0;
}

static void *raise_it(void *unused)
{
	raise(SIGUSR1);
	return unused;
}

/* Threads one after another: each continues in its predecessor's slot. */
static void one_event_of_each_thread(void)
{
	pthread_t t;

	for (int i = 0; i < 4; i++) {
		if (pthread_create(&t, NULL, raise_it, NULL) || pthread_join(t, NULL)) {
			_exit(10);
		}
	}
}

static void flushes_between_events(void)
{
	for (int i = 0; i < 4; i++) {
		raise(SIGUSR1);
		waymark_recorder_flush();
	}
}

static void allocates_nothing(void (*body)(void))
{
	struct sigaction act = { .sa_handler = trace_one };
	pid_t pid;

	assert_int_equal(system("rm -rf handler.*"), 0);
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		name_files();
		sigaction(SIGUSR1, &act, NULL);
		body();
		_exit(allocated ? 1 : 0);
	}
	wait_for(pid);
}

static void packets_that_are_not_full_start_no_thread_in_a_handler(void **state)
{
	(void)state;
	if (!SEES_ALLOCATIONS) {
		skip_because("allocations are seen with glibc alone, and without a sanitizer");
	}
	allocates_nothing(one_event_of_each_thread);
	allocates_nothing(flushes_between_events);
}

static void in_malloc(void)
{
	void *volatile p = malloc((size_t)rand() % 100000);

	free(p);
}

static void in_printf(void)
{
	printf("%s %d %f\r", "a line", rand(), 1.5);
}

static void in_dlopen(void)
{
	void *library = dlopen("libm.so.6", RTLD_NOW);

	if (library) {
		dlclose(library);
	}
}

static void in_fork(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void (*interrupted)(void);

static void interrupt(void)
{
	struct itimerval soon = { .it_value.tv_usec = 1 + rand() % 2000 };

	name_files();
	if (!freopen("/dev/null", "w", stdout)) {
		_exit(10);
	}
	setitimer(ITIMER_REAL, &soon, NULL);
	for (uint64_t begin = now_ns(); !handled || now_ns() - begin < 4000000;) {
		interrupted();
	}
}

static void check_interrupted(void (*body)(void))
{
	interrupted = body;
	for (unsigned int i = 0; i < amount(20, 500); i++) {
		srand(i);
		check(interrupt);
	}
}

static void a_first_event_inside_of_the_c_library_does_not_hang(void **state)
{
	(void)state;
	if (UNDER_SANITIZER) {
		skip_because(SKIP_SANITIZER);
	}
	check_interrupted(in_malloc);
	check_interrupted(in_printf);
	check_interrupted(in_dlopen);
	check_interrupted(in_fork);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_allocated_in_a_handler),
		cmocka_unit_test(packets_that_are_not_full_start_no_thread_in_a_handler),
		cmocka_unit_test(a_first_event_inside_of_the_c_library_does_not_hang),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
