/* SPDX-License-Identifier: MIT */
/* Commands that change the process: forks, exits, descriptors, signals, users. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

/* The child answers on another socket. */
static void do_fork(const char *other)
{
	pid_t child = fork();

	if (child == 0) {
		steer = atoi(other);
		return;
	}
	say("%d", (int)child);
}

/* Forks with a system call, which no library notices. */
static void do_raw_fork(const char *other)
{
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (child == 0) {
		steer = atoi(other);
		return;
	}
	say("%d", (int)child);
}

static void *fork_in_thread(void *other)
{
	pid_t child = fork();

	if (child == 0) {
		for (;;) {
			pause();
		}
	}
	say("%d", (int)child);
	return other;
}

static void thread_fork(const char *rest)
{
	pthread_t thread;

	(void)rest;
	pthread_create(&thread, NULL, fork_in_thread, NULL);
	pthread_join(thread, NULL);
}

/* Children that run until the driver ends them. */
static void workers(const char *count)
{
	char pids[512] = "";

	for (int i = atoi(count); i > 0; i--) {
		pid_t child = fork();

		if (child == 0) {
			for (;;) {
				pause();
			}
		}
		sprintf(pids + strlen(pids), "%d ", (int)child);
	}
	say("%s", pids);
}

static void *fork_much(void *count)
{
	for (int i = *(int *)count; i > 0; i--) {
		pid_t child = fork();

		if (child == 0) {
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	return NULL;
}

/* Children that end immediately, forked from several threads. */
static void storm_of_forks(const char *count)
{
	pthread_t threads[4];
	int n = atoi(count);

	for (int i = 0; i < 4; i++) {
		pthread_create(&threads[i], NULL, fork_much, &n);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
	}
	say("ok");
}

static void close_from(const char *rest)
{
	(void)rest;
	for (int fd = 3; fd < 1024; fd++) {
		if (fd != steer) {
			close(fd);
		}
	}
	say("ok");
}

static void daemonize(const char *rest)
{
	int null = open("/dev/null", O_RDWR);

	(void)rest;
	setsid();
	if (chdir("/")) {
		_exit(3);
	}
	for (int fd = 0; fd < 3; fd++) {
		dup2(null, fd);
	}
	close_from("");
}

static void execute(const char *rest)
{
	char number[16];

	(void)rest;
	snprintf(number, sizeof(number), "%d", steer);
	execl("/proc/self/exe", "host", number, getenv("HOST_LIBRARY"), NULL);
	say("failed");
}

/* Children that immediately execute another program. */
static void fork_and_execute(const char *rest)
{
	pid_t child = 0;

	for (int i = 0; i < 20; i++) {
		child = fork();
		if (child == 0) {
			execl("/bin/true", "true", NULL);
			_exit(3);
		}
		waitpid(child, NULL, 0);
	}
	(void)rest;
	say("ok");
}

static void do_exit(const char *status)
{
	exit(atoi(status));
}

static void do__exit(const char *status)
{
	_exit(atoi(status));
}

static void do_quick_exit(const char *status)
{
	quick_exit(atoi(status));
}

static void *exit_in_thread(void *status)
{
	exit(atoi(status));
}

static void thread_exit(const char *status)
{
	pthread_t thread;

	pthread_create(&thread, NULL, exit_in_thread, (void *)status);
	pthread_join(thread, NULL);
}

static int set_limit(rlim_t count)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = count;
	return setrlimit(RLIMIT_NOFILE, &limit);
}

/* Uses all descriptors. */
static void fill(const char *rest)
{
	int count = 0;

	set_limit(64);
	(void)rest;
	while (open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0) {
		count++;
	}
	say("%d", count);
}

static void limit_files(const char *count)
{
	say("%s", set_limit((rlim_t)atoi(count)) ? "failed" : "ok");
}

static void count_files(const char *rest)
{
	DIR *dir = opendir("/proc/thread-self/fd");
	int count = -3; /* "." and ".." and itself */

	(void)rest;
	while (dir && readdir(dir)) {
		count++;
	}
	closedir(dir);
	say("%d", count);
}

static int interrupted; /* relaxed */
static int strays; /* relaxed: signals received by a thread of the monitor */

static void on_signal(int sig)
{
	char name[16];

	(void)sig;
	prctl(PR_GET_NAME, name);
	__atomic_fetch_add(
		strcmp(name, "wm-monitor") ? &interrupted : &strays, 1, __ATOMIC_RELAXED);
}

static void *take_signals(void *arg)
{
	for (;;) {
		pause();
	}
	return arg;
}

/* Sends a signal every 200 microseconds, to any thread except this one. */
static void signals(const char *rest)
{
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct itimerval every = { { 0, 200 }, { 0, 200 } };

	pthread_t thread;
	sigset_t alarm;

	(void)rest;
	pthread_create(&thread, NULL, take_signals, NULL);
	pthread_detach(thread);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	say("ok");
}

static void no_signals(const char *rest)
{
	struct itimerval never = { 0 };

	(void)rest;
	setitimer(ITIMER_REAL, &never, NULL);
	say("%d %d", __atomic_load_n(&interrupted, __ATOMIC_RELAXED) > 0,
		__atomic_load_n(&strays, __ATOMIC_RELAXED));
}

static void block_signals(const char *rest)
{
	sigset_t all;

	(void)rest;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	say("ok");
}

static void set_user(const char *user)
{
	uid_t uid = (uid_t)atoi(user);

	say("%s", setgid(uid) || setuid(uid) ? "failed" : "ok");
}

static void say_pending(const char *rest)
{
	sigset_t pending;

	(void)rest;
	sigpending(&pending);
	say("%d", sigismember(&pending, SIGPIPE));
}

static const struct {
	const char *name;
	unsigned int number;
} refusable[] = {
	{ "close_range", SYS_close_range },
	{ "unshare", SYS_unshare },
	{ "accept4", SYS_accept4 },
};

/* Refuses a call in all threads. */
static int refuse_call(unsigned int number)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	return (int)syscall(
		SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

/* Makes these system calls fail. */
static void refuse(const char *names)
{
	int failed = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);

	for (size_t i = 0; i < sizeof(refusable) / sizeof(*refusable); i++) {
		if (strstr(names, refusable[i].name)) {
			failed |= refuse_call(refusable[i].number);
		}
	}
	say("%s", failed ? "failed" : "ok");
}

const struct command process_commands[] = {
	{ "fork", do_fork },
	{ "rawfork", do_raw_fork },
	{ "threadfork", thread_fork },
	{ "workers", workers },
	{ "forkstorm", storm_of_forks },
	{ "closefrom", close_from },
	{ "daemonize", daemonize },
	{ "exec", execute },
	{ "forkexec", fork_and_execute },
	{ "exit", do_exit },
	{ "_exit", do__exit },
	{ "quick_exit", do_quick_exit },
	{ "threadexit", thread_exit },
	{ "fill", fill },
	{ "limit", limit_files },
	{ "files", count_files },
	{ "signals", signals },
	{ "nosignals", no_signals },
	{ "refuse", refuse },
	{ "block", block_signals },
	{ "setuid", set_user },
	{ "pendingpipe", say_pending },
	{ 0 },
};
