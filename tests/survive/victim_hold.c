/* SPDX-License-Identifier: MIT */
/* Programs in QEMU's order of calls, whose events and forks come before the trace's name. */
#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <trace/control.h>

#include "victim.h"

static unsigned int me; /* number of the thread that counts for this process; one per generation */
static int news[2] = { -1, -1 }; /* from the daemon to its first process */

static void take_option(const char *option)
{
	trace_opt_parse(option);
}

static void name_file(const char *ignored)
{
	(void)ignored;
	trace_init_backends();
	trace_init_file();
}

static void record(const char *events)
{
	live_for(me, strtoull(events, NULL, 10));
}

/*
 * The child continues with the steps; its parent ends in the way `how`, immediately or when the
 * child is ready.
 */
static void fork_and_end(const char *how)
{
	bool waits = strncmp(how, "late-", 5) == 0;
	char byte;

	if (waits && pipe(news)) {
		_exit(5);
	}
	pid_t pid = fork();

	if (pid < 0) {
		_exit(5);
	}
	if (pid == 0) {
		me++;
		return;
	}
	if (waits) {
		close(news[1]);
		while (read(news[0], &byte, 1) > 0) {
		}
	}
	end(waits ? how + 5 : how);
}

/* EVENTS:HOW: a child records EVENTS and ends in the way HOW, while the parent continues. */
static void run_helper(const char *what)
{
	const char *how = strchr(what, ':') + 1;
	pid_t pid = fork();

	if (pid < 0) {
		_exit(5);
	}
	if (pid == 0) {
		live_for(me + 10, strtoull(what, NULL, 10));
		end(how);
	}
	waitpid(pid, NULL, 0);
}

static pthread_barrier_t forkers;

static void *fork_at_once(void *helper)
{
	pthread_barrier_wait(&forkers);
	run_helper(helper);
	return NULL;
}

/* Two threads fork helpers at the same time. */
static void run_two_helpers(const char *what)
{
	pthread_t t;

	pthread_barrier_init(&forkers, NULL, 2);
	if (pthread_create(&t, NULL, fork_at_once, (void *)(uintptr_t)what)) {
		_exit(5);
	}
	fork_at_once((void *)(uintptr_t)what);
	pthread_join(t, NULL);
}

/* Like a file system without hard links. */
static void forbid_links(const char *ignored)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_linkat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 4, filter };

	(void)ignored;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		_exit(77);
	}
}

static void run_program(const char *program)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execl(program, program, NULL);
		_exit(5);
	}
	wait_for(pid);
}

static void leave_terminal(const char *directory)
{
	setsid();
	if (chdir(directory)) {
		_exit(5);
	}
	closefrom(3); /* this reports readiness; others wait for the end of its output */
}

/* Waits until the memory of all other processes is removed. */
static void wait_alone(const char *shm)
{
	int entries = 4; /* including `.` and `..` */

	for (unsigned int ms = 0; entries > 3; ms++) {
		DIR *dir = opendir(shm);

		if (!dir || ms > 20000) {
			_exit(3);
		}
		for (entries = 0; readdir(dir); entries++) {
		}
		closedir(dir);
		sleep_ms(1);
	}
}

static void start_threads(const char *count)
{
	storm(me + 1, (unsigned int)strtoul(count, NULL, 10));
	while (lived(me + 1) < 1000) {
		sleep_ms(1);
	}
}

static void *work(void *thread)
{
	live_for((unsigned int)(uintptr_t)thread, 20000);
	return NULL;
}

static pthread_t workers[8];

static void start_workers(const char *count)
{
	for (unsigned int i = 0; i < strtoul(count, NULL, 10); i++) {
		if (pthread_create(&workers[i], NULL, work, (void *)(uintptr_t)(me + 1 + i))) {
			_exit(5);
		}
	}
}

static void join_workers(const char *count)
{
	for (unsigned int i = 0; i < strtoul(count, NULL, 10); i++) {
		pthread_join(workers[i], NULL);
	}
}

static void wait_ms(const char *ms)
{
	sleep_ms((unsigned int)strtoul(ms, NULL, 10));
}

static const struct step {
	const char *name;
	void (*take)(const char *argument);
} steps[] = {
	{ "option", take_option },
	{ "file", name_file },
	{ "live", record },
	{ "fork", fork_and_end },
	{ "helper", run_helper },
	{ "helpers", run_two_helpers },
	{ "nolinks", forbid_links },
	{ "program", run_program },
	{ "leave", leave_terminal },
	{ "alone", wait_alone },
	{ "threads", start_threads },
	{ "workers", start_workers },
	{ "join", join_workers },
	{ "ms", wait_ms },
	{ "end", end },
};

static void take_step(const char *step)
{
	size_t length = strcspn(step, "=");

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (strncmp(step, steps[i].name, length) == 0 && !steps[i].name[length]) {
			steps[i].take(step + length + (step[length] == '='));
			return;
		}
	}
	fprintf(stderr, "%s: no such step\n", step);
	_exit(5);
}

/* steps STEP[=ARGUMENT]...: executes the steps in order; a fork's child continues with them */
static void run_steps(char **argv)
{
	for (; *argv; argv++) {
		take_step(*argv);
	}
}

const struct mode modes_hold[] = {
	{ "steps", run_steps },
	{ NULL, NULL },
};
