/* SPDX-License-Identifier: MIT */
/*
 * Events for the backend ftrace, fired from threads, signal handlers and other places; the first
 * argument chooses one. Fails if an event changed the program's state, such as errno.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <waymark/control.h>

#include "trace-ftrace.h"

static int number_of(const char *text)
{
	return text ? atoi(text) : 0;
}

/* COUNT events of each kind, with a short sleep after each event that has arguments. */
static int steps(char **arguments)
{
	static const char *const words[] = { "plain", "a b", NULL, "", "two\nlines\x1b[0m" };
	int count = number_of(arguments[0]);

	for (int i = 0; i < count; i++) {
		trace_step((uint64_t)i << 33, -i, words[i % 5]);
		usleep(2000);
		trace_bare();
	}
	return 0;
}

/* An event whose string has LENGTH bytes, between two short ones. */
static int longer(char **arguments)
{
	size_t length = (size_t)number_of(arguments[0]);
	char *text = malloc(length + 1);

	memset(text, 'x', length);
	text[length] = '\0';
	trace_tick(1);
	trace_step(1, 1, text);
	trace_tick(2);
	free(text);
	return 0;
}

static unsigned int ticks;

static void on_tick(int signal)
{
	int saved = errno;

	(void)signal;
	errno = 4711;
	trace_tick(__atomic_fetch_add(&ticks, 1, __ATOMIC_RELAXED));
	if (errno != 4711) {
		_exit(3);
	}
	errno = saved;
}

static int per_thread;

static void *run_thread(void *number)
{
	unsigned int thread = *(unsigned int *)number;

	for (int i = 0; i < per_thread; i++) {
		trace_thread_step(thread, (unsigned int)i);
	}
	return NULL;
}

/* THREADS threads with COUNT events each, while a signal handler fires events, too. */
static int threads(char **arguments)
{
	struct sigaction action = { .sa_handler = on_tick, .sa_flags = SA_RESTART };
	struct itimerval often = { { 0, 1000 }, { 0, 1000 } };
	struct itimerval never = { { 0, 0 }, { 0, 0 } };
	int count = number_of(arguments[0]);
	unsigned int numbers[64];
	pthread_t ids[64];

	per_thread = number_of(arguments[1]);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < count; i++) {
		numbers[i] = (unsigned int)i;
		pthread_create(&ids[i], NULL, run_thread, &numbers[i]);
	}
	for (int i = 0; i < count; i++) {
		pthread_join(ids[i], NULL);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%u\n", ticks);
	return 0;
}

/* Closes all descriptors, as daemons do, and opens FILE under their numbers. */
static int closing(char **arguments)
{
	struct stat st;

	trace_tick(1);
	closefrom(3);
	for (int i = 0; i < 32; i++) {
		if (open(arguments[0], O_WRONLY | O_CREAT | O_APPEND, 0600) < 0) {
			return 1;
		}
	}
	trace_tick(2);
	trace_tick(3);
	closefrom(3);
	trace_tick(4);
	return stat(arguments[0], &st) == 0 && st.st_size == 0 ? 0 : 2;
}

/* The parent, the child and the child's child fire events. */
static int forking(char **arguments)
{
	(void)arguments;
	trace_tick(1);
	pid_t child = fork();

	if (child == 0) {
		trace_tick(2);
		child = fork();
		if (child == 0) {
			trace_tick(3);
			exit(0);
		}
	}
	waitpid(child, NULL, 0);
	trace_tick(4);
	return 0;
}

/*
 * A child of vfork() shares the memory and runs no destructors, so its parent reports the child's
 * losses.
 */
static int vforking(char **arguments)
{
	struct waymark_stats stats;

	(void)arguments;
	trace_tick(1);
	trace_tick(2);
	pid_t child = vfork();

	if (child == 0) {
		trace_tick(3);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	waymark_get_stats(&stats);
	printf("%llu\n", (unsigned long long)stats.ftrace_lost);
	return 0;
}

/* Another program must not inherit the descriptor. */
static int executing(char **arguments)
{
	(void)arguments;
	trace_tick(1);
	execl("/bin/ls", "ls", "-l", "/proc/self/fd", (char *)NULL);
	return 1;
}

static const struct {
	const char *name;
	int (*run)(char **arguments);
} modes[] = {
	{ "steps", steps },
	{ "long", longer },
	{ "threads", threads },
	{ "closing", closing },
	{ "forking", forking },
	{ "vforking", vforking },
	{ "executing", executing },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(argv[1], modes[i].name) == 0) {
			return modes[i].run(argv + 2);
		}
	}
	return 64;
}
