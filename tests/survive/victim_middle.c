/* SPDX-License-Identifier: MIT */
/*
 * Signal handlers that interrupt an event at any of its instructions, and fork, end the
 * process or the thread, or never return. The processor's single-step flag raises the
 * signal there.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <waymark/control.h>

#include "../common/step.h"
#include "victim.h"

#define NESTED 6u
#define JUMPER 1u
#define CHILD 2u

static void (*inside)(void);
static const char *argument;
static __thread volatile long step, steps;

#ifdef __x86_64__
#define STEP_FLAG 0x100

static void step_no_more(ucontext_t *context)
{
	context->uc_mcontext.gregs[REG_EFL] &= ~STEP_FLAG;
}
#else
static void step_no_more(ucontext_t *context)
{
	(void)context;
}
#endif

static void trap(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	if (steps++ == step) {
		inside();
		step_no_more(context);
	}
}

/*
 * Fires an event of `thread`, with `inside` called after its `at`th instruction if it has that
 * many.
 */
static void interrupted(unsigned int thread, long at)
{
#ifdef __x86_64__
	step = at;
	steps = 0;
	BEGIN_STEPS();
	live(thread);
	END_STEPS();
#else
	(void)thread;
	(void)at;
	_exit(77);
#endif
}

static void prepare(void (*what)(void))
{
	struct sigaction act = { .sa_sigaction = trap, .sa_flags = SA_NODEFER | SA_SIGINFO };

	inside = what;
	sigaction(SIGTRAP, &act, NULL);
}

static void end_inside(void)
{
	end(argument);
}

/* middle-end HOW STEP: ends in the middle of an event; status 9 if the event had ended before */
static void run_end(char **argv)
{
	argument = argv[0];
	prepare(end_inside);
	live_for(0, 1000);
	interrupted(0, atol(argv[1]));
	exit(9);
}

static pid_t child = -1;

static void fork_inside(void)
{
	child = strcmp(argument, "clone") == 0 ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)
					       : fork();
}

/* middle-fork FORM STEP BEFORE: parent and child both finish the event of thread 1, and continue */
static void run_fork(char **argv)
{
	argument = argv[0];
	prepare(fork_inside);
	live_for(0, strtoull(argv[2], NULL, 10));
	interrupted(1, atol(argv[1]));
	if (child == 0) {
		live_for(CHILD, 100);
		exit(0);
	}
	if (child > 0) {
		int status;

		waitpid(child, &status, 0);
		printf("%d\n", WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
	}
	live_for(0, 100);
	exit(0);
}

/* 0: before its event; 1: in the middle of its event; 2: after it */
static uint32_t progress;

static void stop_inside(void)
{
	__atomic_store_n(&progress, 1, __ATOMIC_RELEASE);
	for (;;) {
		pause();
	}
}

static void *be_stopped(void *at)
{
	interrupted(1, (long)(intptr_t)at);
	__atomic_store_n(&progress, 2, __ATOMIC_RELEASE);
	stop_inside();
	return NULL;
}

/* middle-stop HOW STEP: one thread stops forever, others record, flush and end the process */
static void run_stop(char **argv)
{
	pthread_t t;

	prepare(stop_inside);
	live_for(0, 1);
	pthread_create(&t, NULL, be_stopped, (void *)atol(argv[1]));
	while (!__atomic_load_n(&progress, __ATOMIC_ACQUIRE)) {
		sleep_ms(1);
	}
	for (int i = 0; i < 3; i++) {
		live_for(0, 20000);
		if (waymark_flush(NULL)) {
			_exit(8);
		}
	}
	end(argv[0]);
}

static void be_late_inside(void)
{
	__atomic_store_n(&progress, 1, __ATOMIC_RELEASE);
	wait_till_late();
}

static void *be_late(void *at)
{
	live_for(1, 100);
	interrupted(1, (long)(intptr_t)at);
	__atomic_store_n(&progress, 2, __ATOMIC_RELEASE);
	live_for(1, UINT64_MAX);
	return NULL;
}

/* middle-late STEP: one thread is in an event when exit() ends the trace, and continues it */
static void run_late(char **argv)
{
	pthread_t t;

	prepare(be_late_inside);
	live_for(0, 1000);
	pthread_create(&t, NULL, be_late, (void *)atol(argv[0]));
	while (!__atomic_load_n(&progress, __ATOMIC_ACQUIRE)) {
		sleep_ms(1);
	}
	exit_slowly();
}

static sigjmp_buf back;

static void jump_inside(void)
{
	siglongjmp(back, 1);
}

/*
 * middle-jump TIMES FIRST STEP: a handler leaves by a jump, the first time after instruction
 * FIRST; 1000 events of thread 0 after each jump
 */
static void run_jump(char **argv)
{
	volatile int left = atoi(argv[0]);
	volatile long at = atol(argv[1]);

	prepare(jump_inside);
	live_for(0, 1);
	while (left-- > 0) {
		if (!sigsetjmp(back, 1)) {
			interrupted(JUMPER, at);
		}
		at = atol(argv[2]);
		live_for(0, 1000);
	}
	exit(0);
}

static unsigned int depth;
static long nested_at;

static void nest_inside(void)
{
	if (++depth < NESTED) {
		interrupted(depth, nested_at);
	}
}

/*
 * middle-nest FIRST STEP: events interrupt each other in the middle, at most NESTED deep, the
 * outermost after its instruction FIRST. Prints their number.
 */
static void run_nest(char **argv)
{
	nested_at = atol(argv[1]);
	prepare(nest_inside);
	live_for(NESTED, 1);
	interrupted(0, atol(argv[0]));
	printf("%u\n", 1 + (depth < NESTED ? depth : NESTED - 1));
	exit(0);
}

static void leave_inside(void)
{
	pthread_exit(NULL);
}

static void *be_left(void *thread)
{
	unsigned int n = (unsigned int)(uintptr_t)thread;

	live_for(n, 3);
	interrupted(n, n % 61);
	return NULL;
}

static void print_memory(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	printf("%ld\n", usage.ru_maxrss);
}

/* middle-leave COUNT: threads end in the middle of an event, two at a time */
static void run_leave(char **argv)
{
	uintptr_t count = strtoul(argv[0], NULL, 10);
	pthread_t t[2];

	prepare(leave_inside);
	live_for(0, 1);
	for (uintptr_t i = 1; i + 1 <= count; i += 2) {
		pthread_create(&t[0], NULL, be_left, (void *)i);
		pthread_create(&t[1], NULL, be_left, (void *)(i + 1));
		pthread_join(t[0], NULL);
		pthread_join(t[1], NULL);
	}
	print_memory();
	live_for(0, 1000);
	exit(0);
}

static unsigned long before;

static void *be_left_at(void *at)
{
	live_for(1, before);
	interrupted(1, (long)(intptr_t)at);
	return NULL;
}

static void *come_next(void *count)
{
	live_for(2, (uintptr_t)count);
	return NULL;
}

/*
 * middle-next BEFORE STEP MS: a thread ends in the middle of its first event, or of the event
 * after BEFORE others; MS later the next thread takes over its slot
 */
static void run_next(char **argv)
{
	pthread_t t;

	before = strtoul(argv[0], NULL, 10);
	prepare(leave_inside);
	live_for(0, 1);
	pthread_create(&t, NULL, be_left_at, (void *)(intptr_t)atol(argv[1]));
	pthread_join(t, NULL);
	sleep_ms((unsigned int)atoi(argv[2]));
	pthread_create(&t, NULL, come_next, (void *)(uintptr_t)3000);
	pthread_join(t, NULL);
	exit(0);
}

static int cancel_type;

static void *live_until_cancelled(void *thread)
{
	int former;

	pthread_setcanceltype(cancel_type, &former);
	for (;;) {
		live((unsigned int)(uintptr_t)thread);
		sched_yield();
		if (cancel_type == PTHREAD_CANCEL_DEFERRED) {
			pthread_testcancel();
		}
	}
	return NULL;
}

/* cancel TYPE COUNT: threads are cancelled while they record */
static void run_cancel(char **argv)
{
	uintptr_t count = strtoul(argv[1], NULL, 10);
	pthread_t t;

	cancel_type = strcmp(argv[0], "deferred") == 0 ? PTHREAD_CANCEL_DEFERRED
						       : PTHREAD_CANCEL_ASYNCHRONOUS;
	live_for(0, 1);
	for (uintptr_t i = 1; i <= count; i++) {
		pthread_create(&t, NULL, live_until_cancelled, (void *)i);
		while (lived((unsigned int)i) < 2 + i % 50) {
			sched_yield();
		}
		pthread_cancel(t);
		pthread_join(t, NULL);
	}
	print_memory();
	live_for(0, 1000);
	exit(0);
}

const struct mode modes_middle[] = {
	{ "middle-end", run_end },
	{ "middle-fork", run_fork },
	{ "middle-stop", run_stop },
	{ "middle-late", run_late },
	{ "middle-jump", run_jump },
	{ "middle-nest", run_nest },
	{ "middle-leave", run_leave },
	{ "middle-next", run_next },
	{ "cancel", run_cancel },
	{ NULL, NULL },
};
