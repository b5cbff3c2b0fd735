/* SPDX-License-Identifier: MIT */
/* See thread.h. */
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/host/thread.h"

void waymark_thread_ordinary(pthread_attr_t *attr)
{
	/* What is not set, glibc may take from the caller. */
	const struct sched_param none = { .sched_priority = 0 };
	/* musl's function of that name says ENOSYS and asks nobody. */
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

void waymark_thread_begin(void)
{
#ifndef __GLIBC__ /* musl's threads have no such attribute */
	cpu_set_t cpus;

	if (sched_getaffinity(getpid(), sizeof(cpus), &cpus) == 0) {
		sched_setaffinity(0, sizeof(cpus), &cpus);
	}
#endif
}
