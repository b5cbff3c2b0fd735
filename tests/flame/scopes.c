/* SPDX-License-Identifier: MIT */
/*
 * scopes FORM: records input for flame graphs.
 *	names	scopes with odd names on two threads; a flow across them
 *	calls	a known number of system calls in scopes; prints its thread's number
 *	nothing	an event that is no scope
 *	open	a scope that is open when the trace ends, with an ended one in it
 */
#define WAYMARK_SCOPES ctf
#include <waymark/category.h>
#include <waymark/scope.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LIST(C) C(Odd, 1, "odd names")

WAYMARK_CATEGORIES(LIST);

static void rest(long microseconds)
{
	nanosleep(&(struct timespec){ 0, microseconds * 1000 }, NULL);
}

/* Computes longer than a microsecond, the unit of the kernel's times, without a system call. */
static void compute(void)
{
	struct timespec begin;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 20000);
}

static void *other_thread(void *flow)
{
	WAYMARK_SCOPE(Odd, "a;b  c", 1);
	rest(2000);
	{
		WAYMARK_SCOPE(Odd, "<x> & \"q\" 'é' 日本", 2);
		rest(3000);
	}
	waymark_scope_end(flow);
	return NULL;
}

static void names(void)
{
	struct waymark_scope flow = WAYMARK_FLOW(Odd, "packet (1)", 3);
	pthread_t thread;

	pthread_create(&thread, NULL, other_thread, &flow);
	for (int i = 0; i < 10; i++) {
		WAYMARK_SCOPE(Odd, "<x> & \"q\" 'é' 日本", i);
		WAYMARK_SCOPE(Odd, "]]>&#0;\\", i);
		rest(200);
	}
	pthread_join(thread, NULL);
}

static void calls(void)
{
	int null = open("/dev/null", O_WRONLY);

	for (int i = 0; i < 50; i++) {
		WAYMARK_SCOPE(Odd, "outer");
		compute();
		for (int j = 0; j < 10; j++) {
			if (write(null, "x", 1) != 1) {
				exit(EXIT_FAILURE);
			}
		}
		compute();
		WAYMARK_SCOPE(Odd, "inner");
		compute();
		rest(1000);
		compute();
	}
	printf("%ld\n", syscall(SYS_gettid));
}

static void nothing(void)
{
	WAYMARK_INSTANT(Odd, "alone", 1);
}

static void open_at_the_end(void)
{
	WAYMARK_SCOPE(Odd, "outer");
	{
		WAYMARK_SCOPE(Odd, "inner");
		rest(1000);
	}
	rest(1000);
	WAYMARK_INSTANT(Odd, "last");
	exit(EXIT_SUCCESS);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} forms[] = {
		{ "names", names },
		{ "calls", calls },
		{ "nothing", nothing },
		{ "open", open_at_the_end },
	};

	for (size_t i = 0; argc > 1 && i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (strcmp(forms[i].name, argv[1]) == 0) {
			forms[i].run();
			return EXIT_SUCCESS;
		}
	}
	return EXIT_FAILURE;
}
