/* SPDX-License-Identifier: MIT */
/*
 * Creates our threads with ordinary scheduling, and gives them tables of descriptors without the
 * program's. Called by the recorder and the monitor, never by an event.
 */
#include <dirent.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "rt/host/open.h"
#include "rt/host/thread.h"

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2u
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

#define NONE (~0u)

/*
 * A program's thread-local data, which is on the stack too, may be large. Only pages that are used
 * take memory.
 */
#define STACK_BYTES (256u << 10)

void waymark_thread_ordinary(pthread_attr_t *attr)
{
	/* glibc may inherit unset attributes. */
	const struct sched_param none = { .sched_priority = 0 };
	/* musl's sched_getscheduler() fails with ENOSYS without a system call. */
	int policy = (int)syscall(SYS_sched_getscheduler, 0) & ~SCHED_RESET_ON_FORK;

	if (policy == SCHED_FIFO || policy == SCHED_RR) {
		pthread_attr_setinheritsched(attr, PTHREAD_EXPLICIT_SCHED);
		pthread_attr_setschedpolicy(attr, SCHED_OTHER);
		pthread_attr_setschedparam(attr, &none);
	}
#ifdef __GLIBC__
	cpu_set_t cpus;

	if (sched_getaffinity(getpid(), sizeof(cpus), &cpus) == 0) {
		pthread_attr_setaffinity_np(attr, sizeof(cpus), &cpus);
	}
#endif
}

static int create(void *(*main)(void *), void *argument, bool modest)
{
	pthread_attr_t attr;
	pthread_t thread;
	int error;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (modest) {
		pthread_attr_setstacksize(&attr, STACK_BYTES);
		waymark_thread_ordinary(&attr);
	}
	error = pthread_create(&thread, &attr, main, argument);
	pthread_attr_destroy(&attr);
	return error;
}

int waymark_thread_start(void *(*main)(void *), void *argument)
{
	return create(main, argument, true) ? create(main, argument, false) : 0;
}

void waymark_thread_begin(void)
{
#ifndef __GLIBC__ /* musl's threads have no such attribute */
	cpu_set_t cpus;

	if (sched_getaffinity(getpid(), sizeof(cpus), &cpus) == 0) {
		sched_setaffinity(0, sizeof(cpus), &cpus);
	}
#endif
}

/* Returns the lowest descriptor to keep that is not below `from`; NONE if there is none. */
static unsigned int next_kept(unsigned int from, int low, int high)
{
	const int kept[] = { low, high, KEEPS_STDERR ? STDERR_FILENO : -1 };
	unsigned int next = NONE;

	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		unsigned int fd = (unsigned int)kept[i]; /* -1 is NONE */

		if (fd >= from && fd < next) {
			next = fd;
		}
	}
	return next;
}

/*
 * Closes all descriptors but those to keep: first those above the last of them, so that the kernel
 * copies little of the table, then those before each of them. Returns -1 if the kernel has no
 * close_range(2).
 */
static int close_others(int low, int high)
{
	unsigned int top = 0;
	unsigned int fd;

	for (fd = next_kept(0, low, high); fd != NONE; fd = next_kept(top, low, high)) {
		top = fd + 1;
	}
	if (syscall(SYS_close_range, top, ~0u, CLOSE_RANGE_UNSHARE)) {
		return -1;
	}
	for (unsigned int first = 0; first < top; first = fd + 1) {
		fd = next_kept(first, low, high);
		if (fd > first) {
			syscall(SYS_close_range, first, fd - 1, 0);
		}
	}
	return 0;
}

static void close_listed(int low, int high)
{
	DIR *dir = opendir("/proc/thread-self/fd");

	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		int fd = atoi(entry->d_name);

		if (*entry->d_name != '.' && fd != dirfd(dir) &&
			next_kept((unsigned int)fd, low, high) != (unsigned int)fd) {
			waymark_close(fd);
		}
	}
	if (dir) {
		closedir(dir);
	}
}

int waymark_own_descriptors(int low, int high)
{
	if (close_others(low, high) == 0) {
		return 0;
	}
	if (unshare(CLONE_FILES)) {
		return -1;
	}
	close_listed(low, high);
	return 0;
}
