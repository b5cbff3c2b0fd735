/* SPDX-License-Identifier: MIT */
/* Short threads, and signal handlers that trace, also at the end of a thread. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "victim.h"

static pthread_key_t key;
static pthread_barrier_t all;

static void last_words(void *thread)
{
	live_for((unsigned int)(uintptr_t)thread - 1, 3); /* a destructor is not called for NULL */
}

static void *live_shortly(void *thread)
{
	pthread_setspecific(key, (char *)thread + 1);
	live_for((unsigned int)(uintptr_t)thread, 10);
	return NULL;
}

static pthread_t start(void *(*body)(void *), unsigned int thread)
{
	pthread_attr_t attr;
	pthread_t t;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	if (pthread_create(&t, &attr, body, (void *)(uintptr_t)thread)) {
		perror("pthread_create");
		_exit(2);
	}
	return t;
}

/* short COUNT AT-ONCE MS: threads with 10 events, and 3 in a destructor; then a pause of MS */
static void run_short(char **argv)
{
	unsigned int count = (unsigned int)atoi(argv[0]);
	unsigned int at_once = (unsigned int)atoi(argv[1]);
	pthread_t threads[64];
	struct rusage usage;

	pthread_key_create(&key, last_words);
	for (unsigned int i = 0; i < count; i += at_once) {
		for (unsigned int k = 0; k < at_once; k++) {
			threads[k] = start(live_shortly, i + k);
		}
		for (unsigned int k = 0; k < at_once; k++) {
			pthread_join(threads[k], NULL);
		}
		sleep_ms((unsigned int)atoi(argv[2]));
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%ld\n", usage.ru_maxrss);
}

static void *live_together(void *thread)
{
	live((unsigned int)(uintptr_t)thread);
	pthread_barrier_wait(&all);
	live((unsigned int)(uintptr_t)thread);
	return NULL;
}

/* many COUNT: threads that all live at the same time */
static void run_many(char **argv)
{
	unsigned int count = (unsigned int)atoi(argv[0]);
	pthread_t *threads = calloc(count, sizeof(*threads));

	pthread_barrier_init(&all, NULL, count);
	for (unsigned int i = 0; i < count; i++) {
		threads[i] = start(live_together, i);
	}
	for (unsigned int i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
	}
	free(threads);
}

static void live_in_handler(int sig)
{
	(void)sig;
	live(1);
}

/* handler HOW: events of a handler between events of the interrupted thread */
static void run_handler(char **argv)
{
	struct itimerval often = { { 0, 100 }, { 0, 100 } };

	signal(SIGALRM, live_in_handler);
	setitimer(ITIMER_REAL, &often, NULL);
	while (lived(1) < 200) {
		live(0);
	}
	end(argv[0]);
}

static ssize_t live_behind(void *cookie, const char *text, size_t size)
{
	(void)cookie;
	raise(SIGALRM);
	return text ? (ssize_t)size : 0;
}

/* behind: calls exit(); a handler records when all destructors have run */
static void run_behind(char **argv)
{
	cookie_io_functions_t late = { .write = live_behind };

	(void)argv;
	signal(SIGALRM, live_in_handler);
	live_for(0, 20000);
	fputs("late", fopencookie(NULL, "w", late));
	exit(0);
}

const struct mode modes_thread[] = {
	{ "short", run_short },
	{ "many", run_many },
	{ "handler", run_handler },
	{ "behind", run_behind },
	{ NULL, NULL },
};
