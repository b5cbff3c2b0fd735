/* SPDX-License-Identifier: MIT */
/* How a process can end, alone or while its threads record. */
#include <signal.h>
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
	} else if (strcmp(how, "execve") == 0) {
		end_by_execve();
	} else if (strcmp(how, "abort") == 0) {
		abort();
	} else if (strcmp(how, "segv") == 0) {
		*nowhere = 1;
	} else if (strcmp(how, "term") == 0) {
		end_by_signal(SIGTERM);
	} else if (strcmp(how, "kill") == 0) {
		end_by_signal(SIGKILL);
	}
}

/* end HOW EVENTS [THREADS MS]: in the main thread */
static void run_end(char **argv)
{
	unsigned int threads = argv[2] ? (unsigned int)atoi(argv[2]) : 0;

	storm(1, threads);
	live_for(0, strtoull(argv[1], NULL, 10));
	sleep_ms(threads ? (unsigned int)atoi(argv[3]) : 0);
	end(argv[0]);
}

/* storm THREADS: until somebody ends it */
static void run_storm(char **argv)
{
	storm(0, (unsigned int)atoi(argv[0]));
	sleep_ms(20000);
}

/* snapshots EVENTS: of a flight recorder, one after the other */
static void run_snapshots(char **argv)
{
	uint64_t events = strtoull(argv[0], NULL, 10);

	for (;;) {
		live_for(0, events);
		raise(SIGUSR2);
	}
}

/* flush THREADS: whose packets are closed all the time */
static void run_flush(char **argv)
{
	storm(1, (unsigned int)atoi(argv[0]));
	for (;;) {
		live(0);
		waymark_flush(NULL);
	}
}

/* exec EVENTS: and then the same program once more, counting on as thread 1 */
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

/* wait EVENTS: records, waits for a line on standard input, records as many again, exits */
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

const struct mode modes_end[] = {
	{ "end", run_end },
	{ "storm", run_storm },
	{ "snapshots", run_snapshots },
	{ "flush", run_flush },
	{ "exec", run_exec },
	{ "second", run_second },
	{ "run", run_run },
	{ "wait", run_wait },
	{ NULL, NULL },
};
