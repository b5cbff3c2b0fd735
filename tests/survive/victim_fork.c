/* SPDX-License-Identifier: MIT */
/*
 * Processes that fork. The parent is thread 0 (and 1, which records all the
 * time), a child thread 2: one at a time.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

extern char **environ;

static pid_t raw_clone(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

/*
 * forks FORM CHILDS-END EVENTS: a child, which records if EVENTS is not 0, among the parent's
 * events
 */
static void run_forks(char **argv)
{
	live_for(0, 1000);
	storm(1, 1);
	pid_t pid = strcmp(argv[0], "clone") == 0 ? raw_clone() : fork();

	if (pid == 0) {
		live_for(2, strtoull(argv[2], NULL, 10));
		end(argv[1]);
		_exit(6);
	}
	wait_for(pid);
	live_for(0, 1000);
	end("_exit"); /* ends its threads at the same time */
}

/* vforks: events of the parent, also in its vfork's children, and a spawned program */
static void run_vforks(char **argv)
{
	char program[] = "true";
	char *spawned[] = { program, NULL };
	pid_t pid;

	(void)argv;
	for (int i = 0; i < 3; i++) {
		pid = vfork();
		if (pid == 0) {
			live(0);
			_exit(0);
		}
		wait_for(pid);
		live(0);
		if (posix_spawnp(&pid, "true", NULL, NULL, spawned, environ)) {
			_exit(5);
		}
		wait_for(pid);
		live(0);
	}
}

/* vfork-crash: a vfork's child crashes, as one does whose exec failed; then the parent does */
static void run_vfork_crash(char **argv)
{
	(void)argv;
	live_for(0, 1000);
	pid_t pid = vfork();

	if (pid == 0) {
		abort();
	}
	waitpid(pid, NULL, 0);
	live_for(0, 1000);
	abort();
}

/* orphan EVENTS: the parent is killed; its child lives on, without events or recording */
static void run_orphan(char **argv)
{
	live_for(0, 1000);
	pid_t pid = fork();

	if (pid == 0) {
		live_for(2, strtoull(argv[0], NULL, 10));
		printf("%d\n", getpid());
		fflush(stdout);
		close(STDOUT_FILENO);
		sleep_ms(60000);
		_exit(0);
	}
	sleep_ms(20);
	end("kill");
}

/* daemon: goes to the background after the file is named, before the first event */
static void run_daemon(char **argv)
{
	(void)argv;
	if (daemon(1, 1)) {
		_exit(5);
	}
	live_for(0, 1000);
}

/* closefrom: like daemons; the recorder must not write to files opened afterwards */
static void run_closefrom(char **argv)
{
	char text[4096];
	int fds[64];

	(void)argv;
	live_for(0, 100000);
	closefrom(3);
	for (int i = 0; i < 64; i++) {
		char name[32];

		snprintf(name, sizeof(name), "own.%d", i);
		fds[i] = open(name, O_RDWR | O_CREAT, 0600);
	}
	live_for(0, 2000000);
	for (int i = 0; i < 64; i++) {
		if (read(fds[i], text, sizeof(text)) != 0) {
			_exit(7);
		}
	}
}

/* first-vfork: the first event of the process is between vfork() and exec */
static void run_first_vfork(char **argv)
{
	char program[] = "/bin/true";
	char *own[] = { program, NULL };

	(void)argv;
	pid_t pid = vfork();

	if (pid == 0) {
		live(0);
		execve(program, own, environ);
		_exit(5);
	}
	wait_for(pid);
	live_for(0, 20000);
}

static int live_as_one(void *events)
{
	live_for(0, (uintptr_t)events);
	return 0;
}

/* clone-vm EVENTS: ten children, each with our memory, record while we wait */
static void run_clone_vm(char **argv)
{
	static char stack[1 << 18] __attribute__((aligned(64)));
	void *events = (void *)strtoul(argv[0], NULL, 10);

	live_for(0, 1000);
	for (int i = 0; i < 10; i++) {
		wait_for(clone(live_as_one, stack + sizeof(stack), CLONE_VM | SIGCHLD, events));
		live_for(0, 1000);
	}
}

/* daemonize: forks twice after the first events, closes all descriptors, changes to / */
static void run_daemonize(char **argv)
{
	(void)argv;
	live_for(0, 1000);
	if (fork()) {
		_exit(0);
	}
	setsid();
	if (fork()) {
		_exit(0);
	}
	umask(0);
	if (chdir("/")) {
		_exit(5);
	}
	closefrom(0);
	live_for(2, 200000);
	end("_exit");
}

const struct mode modes_fork[] = {
	{ "forks", run_forks },
	{ "vforks", run_vforks },
	{ "vfork-crash", run_vfork_crash },
	{ "orphan", run_orphan },
	{ "daemon", run_daemon },
	{ "closefrom", run_closefrom },
	{ "first-vfork", run_first_vfork },
	{ "clone-vm", run_clone_vm },
	{ "daemonize", run_daemonize },
	{ NULL, NULL },
};
