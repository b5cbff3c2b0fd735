/* SPDX-License-Identifier: MIT */
/*
 * program [WORD...]: executes the words, one after the other.
 *
 *	N             fires N events tick, and one tock
 *	exit=N        exits with status N
 *	kill=N        ends by signal N
 *	catch         prints the number of the next signal, and continues
 *	wait          prints "ready" and waits for a signal
 *	fork          a child executes the other words, then the parent does
 *	copy          copies standard input to standard output
 *	count         prints the number of arguments
 *	descriptors   prints the open descriptors below 64
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace-record.h"

static volatile sig_atomic_t caught;
static volatile sig_atomic_t times;

static void on_signal(int sig)
{
	caught = sig;
	times++;
}

static void catch (void)
{
	static const int all[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1 };
	struct sigaction act = { .sa_handler = on_signal };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		sigaction(all[i], &act, NULL);
	}
}

static void wait_for_signal(void)
{
	puts("ready");
	fflush(stdout);
	while (!caught) {
		usleep(1000);
	}
	usleep(50000); /* a second signal would arrive in this time */
	printf("got %d%s\n", (int)caught, times > 1 ? ", more than once" : "");
	fflush(stdout);
	caught = times = 0;
}

static void record(int count)
{
	for (int i = 0; i < count; i++) {
		trace_tick(i);
	}
	trace_tock(count);
}

static void go_on_in_child(void)
{
	fflush(stdout);
	pid_t child = fork();

	if (child > 0) {
		waitpid(child, NULL, 0);
	}
}

static void copy(void)
{
	for (int c; (c = getchar()) != EOF;) {
		putchar(c);
	}
}

static void print_descriptors(void)
{
	for (int fd = 0; fd < 64; fd++) {
		if (fcntl(fd, F_GETFD) >= 0) {
			printf("%d ", fd);
		}
	}
	puts("");
}

static void obey(const char *word, int argc)
{
	if (strncmp(word, "exit=", 5) == 0) {
		exit(atoi(word + 5));
	} else if (strncmp(word, "kill=", 5) == 0) {
		kill(getpid(), atoi(word + 5));
	} else if (strcmp(word, "catch") == 0) {
		catch ();
	} else if (strcmp(word, "wait") == 0) {
		wait_for_signal();
	} else if (strcmp(word, "fork") == 0) {
		go_on_in_child();
	} else if (strcmp(word, "copy") == 0) {
		copy();
	} else if (strcmp(word, "count") == 0) {
		printf("%d\n", argc - 1);
	} else if (strcmp(word, "descriptors") == 0) {
		print_descriptors();
	} else if (atoi(word) > 0) {
		record(atoi(word));
	}
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		obey(argv[i], argc);
	}
	return EXIT_SUCCESS;
}
