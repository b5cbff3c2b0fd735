/* SPDX-License-Identifier: MIT */
/* The ways in which a process can end, alone or while its threads record. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <waymark/control.h>

#include "victim.h"

extern char **environ;

static void end_by_execve(void)
{
	char program[] = "true";
	char *argv[] = { program, NULL };

	execve("/bin/true", argv, environ);
	_exit(5);
}

static void end_by_signal(int sig)
{
	raise(sig);
	sleep_ms(10000); /* the signal may go to another thread */
}

void end(const char *how)
{
	static int *volatile nowhere;

	if (strcmp(how, "exit") == 0) {
		exit(0);
	} else if (strcmp(how, "quick_exit") == 0) {
		quick_exit(0);
	} else if (strcmp(how, "_exit") == 0) {
		_exit(0);
	} else if (strcmp(how, "waymark_end") == 0) {
		waymark_end();
		_exit(0);
	} else if (strcmp(how, "execve") == 0) {
		end_by_execve();
	} else if (strcmp(how, "abort") == 0) {
		abort();
	} else if (strcmp(how, "segv") == 0) {
		*nowhere = 1;
	} else if (strcmp(how, "term") == 0) {
		end_by_signal(SIGTERM);
	} else if (strcmp(how, "int") == 0) {
		end_by_signal(SIGINT);
	} else if (strcmp(how, "hup") == 0) {
		end_by_signal(SIGHUP);
	} else if (strcmp(how, "kill") == 0) {
		end_by_signal(SIGKILL);
	}
}

/* end HOW EVENTS [THREADS MS]: ends in the main thread */
static void run_end(char **argv)
{
	unsigned int threads = argv[2] ? (unsigned int)atoi(argv[2]) : 0;

	storm(1, threads);
	live_for(0, strtoull(argv[1], NULL, 10));
	sleep_ms(threads ? (unsigned int)atoi(argv[3]) : 0);
	end(argv[0]);
}

/* storm THREADS: records until it is killed */
static void run_storm(char **argv)
{
	storm(0, (unsigned int)atoi(argv[0]));
	sleep_ms(20000);
}

/* snapshots EVENTS: a flight recorder writes snapshots, with EVENTS events before each */
static void run_snapshots(char **argv)
{
	uint64_t events = strtoull(argv[0], NULL, 10);

	for (;;) {
		live_for(0, events);
		raise(SIGUSR2);
	}
}

/* flush THREADS: flushes all the time, which closes the threads' packets */
static void run_flush(char **argv)
{
	storm(1, (unsigned int)atoi(argv[0]));
	for (;;) {
		live(0);
		waymark_flush(NULL);
	}
}

/* turns THREADS: threads record while the trace changes all the time: turn-<n>.ctf */
static void run_turns(char **argv)
{
	struct waymark_error error;
	char name[32];

	storm(1, (unsigned int)atoi(argv[0]));
	for (unsigned int n = 0; n < 100000; n++) {
		live_for(0, 100);
		snprintf(name, sizeof(name), "turn-%05u.ctf", n);
		if (waymark_set_output("ctf", name, &error)) {
			fprintf(stderr, "%s\n", error.text);
			_exit(2);
		}
	}
}

/* removed EVENTS TRACE NEXT: TRACE is removed; some events later the program names NEXT */
static void run_removed(char **argv)
{
	uint64_t events = strtoull(argv[0], NULL, 10);
	struct waymark_error error;
	char command[512];

	live_for(0, events);
	waymark_flush(NULL);
	snprintf(command, sizeof(command), "until rm -rf '%s' 2>/dev/null; do :; done; mkdir '%s'",
		argv[1], argv[1]);
	if (system(command)) {
		_exit(2);
	}
	live_for(0, events);
	for (int i = 0; i < 3; i++) {
		if (waymark_flush(NULL) == 0) {
			_exit(3);
		}
	}
	if (waymark_set_output("ctf", argv[2], &error)) {
		fprintf(stderr, "%s\n", error.text);
		_exit(4);
	}
	live_for(0, events);
}

/* exec EVENTS: records, then executes the same program, which records as thread 1 */
static void run_exec(char **argv)
{
	char self[] = "/proc/self/exe";
	char kind[] = "step", mode[] = "second", *counts = getenv("VICTIM_COUNTS");
	char *next[] = { self, counts, kind, mode, NULL };

	live_for(0, strtoull(argv[0], NULL, 10));
	execv(self, next);
	_exit(5);
}

static void run_second(char **argv)
{
	(void)argv;
	live_for(1, 1000);
}

static bool late;

void wait_till_late(void)
{
	while (!__atomic_load_n(&late, __ATOMIC_RELAXED)) {
		sleep_ms(1);
	}
}

static ssize_t be_late(void *cookie, const char *text, size_t size)
{
	(void)cookie;
	__atomic_store_n(&late, true, __ATOMIC_RELAXED);
	sleep_ms(100);
	return text ? (ssize_t)size : 0;
}

void exit_slowly(void)
{
	cookie_io_functions_t slow = { .write = be_late };

	fputs("late", fopencookie(NULL, "w", slow));
	exit(0);
}

static void *live_late(void *unused)
{
	live_for(1, 1000);
	wait_till_late();
	return live_for(1, UINT64_MAX), unused;
}

/* late EVENTS: exit() while another thread pauses until all destructors have run, then records */
static void run_late(char **argv)
{
	pthread_t t;

	pthread_create(&t, NULL, live_late, NULL);
	live_for(0, strtoull(argv[0], NULL, 10));
	while (lived(1) < 1000) {
		sleep_ms(1);
	}
	exit_slowly();
}

/* run EVENTS PROGRAM ARGUMENT...: runs another traced program between its own events */
static void run_run(char **argv)
{
	uint64_t events = strtoull(argv[0], NULL, 10);

	live_for(0, events);
	pid_t pid = fork();

	if (pid == 0) {
		execv(argv[1], argv + 1);
		_exit(5);
	}
	wait_for(pid);
	live_for(0, events);
}

/* wait EVENTS: records, waits for a line on standard input, records EVENTS again, exits */
static void run_wait(char **argv)
{
	uint64_t events = strtoull(argv[0], NULL, 10);
	char line[8];

	live_for(0, events);
	puts("recorded");
	fflush(stdout);
	if (fgets(line, sizeof(line), stdin)) {
		live_for(0, events);
		puts("recorded");
		fflush(stdout);
	}
	if (fgets(line, sizeof(line), stdin)) {
		exit(0);
	}
}

static void flush_and_leave(int sig)
{
	(void)sig;
	waymark_flush(NULL);
	_exit(9);
}

/* own-handler: a program that handles its faults itself */
static void run_own_handler(char **argv)
{
	(void)argv;
	signal(SIGSEGV, flush_and_leave);
	live_for(0, 20000);
	end("segv");
}

static uint64_t overflow(uint64_t depth)
{
	volatile char room[4096];

	room[depth % sizeof(room)] = 1;
	live(0);
	if (lived(0) == UINT64_MAX) {
		return 0;
	}
	return overflow(depth + 1) + (uint64_t)room[(depth + 1) % sizeof(room)];
}

/* overflow [own-stack]: overflows the stack, with events at each depth */
static void run_overflow(char **argv)
{
	stack_t own = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };

	if (argv[0]) {
		sigaltstack(&own, NULL);
	}
	live_for(0, overflow(0));
}

static void *exit_together(void *all)
{
	pthread_barrier_wait(all);
	exit(0);
}

/* exits THREADS: all of them call exit() at the same time, while another one records */
static void run_exits(char **argv)
{
	unsigned int count = (unsigned int)atoi(argv[0]);
	pthread_barrier_t all;
	pthread_t t;

	live_for(0, 20000);
	storm(1, 1);
	pthread_barrier_init(&all, NULL, count);
	for (unsigned int i = 0; i < count; i++) {
		pthread_create(&t, NULL, exit_together, &all);
	}
	sleep_ms(20000);
}

static void *exit_alone(void *unused)
{
	(void)unused;
	live_for(1, 1000);
	exit(0);
}

/* thread-exit: another thread calls exit() after main's thread has ended */
static void run_thread_exit(char **argv)
{
	pthread_t t;

	(void)argv;
	live_for(0, 20000);
	pthread_create(&t, NULL, exit_alone, NULL);
	pthread_exit(NULL);
}

/* eof: closes its standard output, and continues to record */
static void run_eof(char **argv)
{
	char line[8];

	(void)argv;
	live_for(0, 1000);
	close(STDOUT_FILENO);
	live_for(0, 200000);
	if (fgets(line, sizeof(line), stdin)) {
		live_for(0, 1000);
	}
}

static void *live_later(void *unused)
{
	live_for(1, 20000);
	return unused;
}

/* blocked: every thread blocks all signals, as with signalfd(2); one signal has a handler */
static void run_blocked(char **argv)
{
	sigset_t all;
	pthread_t t;

	(void)argv;
	signal(SIGUSR1, flush_and_leave);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	live_for(0, 20000);
	pthread_create(&t, NULL, live_later, NULL);
	pthread_join(t, NULL);
	kill(getpid(), SIGUSR1);
	sleep_ms(200); /* no thread takes it: the writer has blocked it, too */
	end("kill");
}

/* pinned: a thread bound to one processor, with its own priority, begins the trace */
static void run_pinned(char **argv)
{
	struct sched_param priority = { .sched_priority = 1 };
	cpu_set_t one;

	(void)argv;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (pthread_setaffinity_np(pthread_self(), sizeof(one), &one)) {
		_exit(5);
	}
	if (sched_setscheduler(0, SCHED_RR, &priority)) {
		perror("sched_setscheduler");
	}
	live_for(0, 20000);
	sleep_ms(50);
	puts("recorded");
	fflush(stdout);
	sleep_ms(20000);
}

const struct mode modes_end[] = {
	{ "own-handler", run_own_handler },
	{ "overflow", run_overflow },
	{ "exits", run_exits },
	{ "thread-exit", run_thread_exit },
	{ "eof", run_eof },
	{ "blocked", run_blocked },
	{ "pinned", run_pinned },
	{ "end", run_end },
	{ "storm", run_storm },
	{ "snapshots", run_snapshots },
	{ "flush", run_flush },
	{ "turns", run_turns },
	{ "removed", run_removed },
	{ "late", run_late },
	{ "exec", run_exec },
	{ "second", run_second },
	{ "run", run_run },
	{ "wait", run_wait },
	{ NULL, NULL },
};
