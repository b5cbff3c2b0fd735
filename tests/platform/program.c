/* SPDX-License-Identifier: MIT */
/*
 * program WHAT: records events whose printed lines are the same on every platform, of one kind:
 * values, threads, signals, fork, kill. Fails if a check of its own fails; `kill` ends by SIGKILL
 * after its last event.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <waymark/control.h>

#include "program.h"
#include "trace-platform.h"
#include "trace-platform_toml.h"

#define THREADS 4
#define STEPS 300
#define SIGNALS 20
#define CHILDREN 3

static void put_request(struct waymark_formatter *f, const void *object)
{
	struct waymark_group g;

	waymark_debug_struct(&g, f, "Request");
	waymark_debug_field(&g, "sector", waymark_debug(*(const uint64_t *)object));
	waymark_debug_field(&g, "write", waymark_debug_bool(true));
	waymark_debug_end(&g);
}

static void record_scope(void)
{
	TRACE_P_SCOPE_SCOPE(1);
	TRACE_P_SCOPE_SCOPE(2);
}

static int record_values(void)
{
	static const unsigned char bytes[] = { 0, 10, 255 };
	static const uint64_t sector = UINT64_C(0x123456789a);

	trace_p_ints(200, -5, 0xabcd, -300, 0xdeadbeef, -1, UINT64_MAX, INT64_MIN, true);
	trace_p_floats(0.1f, -1e21);
	trace_p_wide(waymark_u128_of(0x12, 0x3456789abcdef001), waymark_i128_of(UINT64_MAX, 7));
	trace_p_text("f\303\274nf", 5, bytes, sizeof(bytes));
	trace_p_debug(waymark_debug_object(put_request, &sector));
	trace_p_debug(waymark_debug("a \"b\""));
	record_scope();
	trace_c_types(-7, 0xfffffff0ul, -123456789l, 65537, (void *)0x1000, 'x');
	trace_c_text("", 0);
	trace_c_text(NULL, UINT64_C(0xfedcba9876543210));
	points_of_c();
	points_of_cxx();
	return 0;
}

static void *record_steps(void *who)
{
	for (uint64_t i = 0; i < STEPS; i++) {
		trace_step((uint32_t)(uintptr_t)who, i);
	}
	return NULL;
}

static int record_threads(void)
{
	pthread_t threads[THREADS];

	for (uintptr_t i = 0; i < THREADS; i++) {
		pthread_create(&threads[i], NULL, record_steps, (void *)i);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
	}
	return 0;
}

static volatile sig_atomic_t caught;

static void on_alarm(int sig)
{
	(void)sig;
	if (caught < SIGNALS) {
		trace_step(1, (uint64_t)caught);
		caught++;
	}
}

/* Steps until the signals have arrived; their number depends on the platform. */
static int record_under_signals(void)
{
	struct itimerval each = { { 0, 1000 }, { 0, 1000 } };
	struct itimerval none = { { 0, 0 }, { 0, 0 } };

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &each, NULL);
	for (uint64_t i = 0; caught < SIGNALS; i++) {
		trace_step(0, i);
	}
	setitimer(ITIMER_REAL, &none, NULL);
	return 0;
}

/* Each child has its own trace. */
static int record_forks(void)
{
	int failed = 0;

	record_steps((void *)0);
	for (uintptr_t i = 1; i <= CHILDREN; i++) {
		int status = 1;
		pid_t pid = fork();

		if (pid == 0) {
			record_steps((void *)i);
			exit(0);
		}
		failed |= waitpid(pid, &status, 0) != pid || status != 0;
	}
	record_steps((void *)0);
	return failed;
}

static int record_and_die(void)
{
	record_threads();
	raise(SIGKILL);
	return 1;
}

static const struct {
	const char *name;
	int (*run)(void);
} kinds[] = {
	{ "values", record_values },
	{ "threads", record_threads },
	{ "signals", record_under_signals },
	{ "fork", record_forks },
	{ "kill", record_and_die },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(argv[1], kinds[i].name) == 0) {
			return kinds[i].run();
		}
	}
	fprintf(stderr, "usage: program values|threads|signals|fork|kill\n");
	return 2;
}
