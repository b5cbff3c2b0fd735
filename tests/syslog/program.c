/* SPDX-License-Identifier: MIT */
/*
 * A program with events for the system's log. It reads commands from standard input,
 * `COMMAND NUMBER` a line, and answers each with a line.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include <waymark/control.h>

#include "trace-syslog.h"

#define THREADS 4

/* Fires `count` events. */
static int fire(int count)
{
	for (int i = 0; i < count; i++) {
		trace_sys_count(0, i);
	}
	return count;
}

static int events_a_thread;

static void *thread_main(void *number)
{
	for (int i = 0; i < events_a_thread; i++) {
		trace_sys_count((int)(intptr_t)number, i);
	}
	return NULL;
}

static int threads(int count)
{
	pthread_t thread[THREADS];

	events_a_thread = count;
	for (int i = 0; i < THREADS; i++) {
		pthread_create(&thread[i], NULL, thread_main, (void *)(intptr_t)i);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
	}
	return THREADS * count;
}

static volatile int handled;

static void on_alarm(int number)
{
	(void)number;
	trace_sys_count(9, handled);
	handled++;
}

static void set_timer(int microseconds)
{
	struct itimerval timer = { { 0, microseconds }, { 0, microseconds } };

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Events interrupt the program's own syslog() until `count` events have been fired. */
static int interrupt_host(int count)
{
	set_timer(500);
	for (int i = 0; handled < count; i++) {
		syslog(LOG_NOTICE, "own %d", i);
	}
	set_timer(0);
	return handled;
}

/* Events interrupt events; answers the number of outer ones. */
static int interrupt_events(int count)
{
	int outer = 0;

	set_timer(500);
	while (handled < count) {
		trace_sys_count(0, outer++);
	}
	set_timer(0);
	printf("%d ", handled);
	return outer;
}

/* Fires in a child and in its parent. */
static int fire_both(pid_t child, int count)
{
	fire(count);
	if (child == 0) {
		exit(0);
	}
	waitpid(child, NULL, 0);
	return child;
}

/* The child fires the same number of events as its parent; answers the child's pid. */
static int fork_both(int count)
{
	return fire_both(fork(), count);
}

/* The same with a fork that bypasses the C library. */
static int clone_both(int count)
{
	return fire_both((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), count);
}

/* The program itself opens its log. */
static int own_ident(int number)
{
	openlog("other", LOG_PID, LOG_LOCAL3);
	syslog(LOG_NOTICE, "own %d", number);
	trace_sys_count(0, number);
	syslog(LOG_WARNING, "own %d", number + 1);
	return number;
}

/* Returns the bytes that arrive at the other end of a socket pair; the library must send none. */
static int bytes_at(int fd)
{
	char bytes[4096];
	ssize_t got = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);

	return got > 0 ? (int)got : 0;
}

/* Closes all descriptors that it did not open, and opens sockets and files under their numbers. */
static int close_all(int count)
{
	int pairs[8][2];
	int strange = 0;

	closefrom(3);
	for (int i = 0; i < 8; i++) {
		socketpair(AF_UNIX, i % 2 ? SOCK_STREAM : SOCK_DGRAM, 0, pairs[i]);
	}
	fire(count);
	for (int i = 0; i < 8; i++) {
		strange += bytes_at(pairs[i][0]) + bytes_at(pairs[i][1]);
		strange += fcntl(pairs[i][0], F_GETFD) < 0 || fcntl(pairs[i][1], F_GETFD) < 0;
	}
	return strange;
}

/* Runs without standard streams, like a daemon; answers are written to a file. */
static int without_streams(int count)
{
	int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 50);
	int taken = 0;

	for (int fd = 0; fd < 3; fd++) {
		close(fd);
	}
	fire(count);
	for (int fd = 0; fd < 3; fd++) {
		taken += fcntl(fd, F_GETFD) >= 0;
	}
	dprintf(out, "%d\n", taken);
	_exit(0);
}

/* An event with a long text, one with odd bytes, one without text. */
static int texts(int length)
{
	char *text = malloc((size_t)length + 1);

	memset(text, 'x', (size_t)length);
	text[length] = '\0';
	trace_sys_text(text);
	trace_sys_text("line\nbreak %s \x1b");
	trace_sys_text(NULL);
	trace_sys_plain();
	free(text);
	return length;
}

/* Answers the longest time in ms that one of `count` events took. */
static int slowest(int count)
{
	int64_t worst = 0;

	for (int i = 0; i < count; i++) {
		struct timespec a;
		struct timespec b;

		clock_gettime(CLOCK_MONOTONIC, &a);
		trace_sys_count(0, i);
		clock_gettime(CLOCK_MONOTONIC, &b);
		int64_t ns = (b.tv_sec - a.tv_sec) * INT64_C(1000000000) + b.tv_nsec - a.tv_nsec;

		worst = ns > worst ? ns : worst;
	}
	return (int)(worst / 1000000);
}

/* Fires for `milliseconds`, as fast as possible; answers the number of events. */
static int flood(int milliseconds)
{
	struct timespec now;
	int64_t end = 0;
	int fired = 0;

	do {
		trace_sys_count(0, fired++);
		clock_gettime(CLOCK_MONOTONIC, &now);
		int64_t ms = now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;

		end = end ? end : ms + milliseconds;
		if (ms >= end) {
			return fired;
		}
	} while (true);
}

static int lost(int unused)
{
	struct waymark_stats stats;

	waymark_get_stats(&stats);
	(void)unused;
	return (int)stats.syslog_lost;
}

static int withheld(int unused)
{
	struct waymark_stats stats;

	waymark_get_stats(&stats);
	(void)unused;
	return (int)stats.syslog_withheld;
}

static int process(int unused)
{
	(void)unused;
	return getpid();
}

static const struct {
	const char *name;
	int (*run)(int number);
} commands[] = {
	{ "clone", clone_both },
	{ "close", close_all },
	{ "events", interrupt_events },
	{ "fire", fire },
	{ "flood", flood },
	{ "fork", fork_both },
	{ "host", interrupt_host },
	{ "lost", lost },
	{ "own", own_ident },
	{ "pid", process },
	{ "slowest", slowest },
	{ "streams", without_streams },
	{ "texts", texts },
	{ "threads", threads },
	{ "withheld", withheld },
};

static int run(const char *name, int number)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i].name, name) == 0) {
			return commands[i].run(number);
		}
	}
	return -1;
}

int main(void)
{
	char name[32];
	int number;

	setvbuf(stdin, NULL, _IONBF, 0);
	while (scanf("%31s %d", name, &number) == 2) {
		fflush(stdout);
		printf("%d\n", run(name, number));
		fflush(stdout);
	}
	return 0;
}
