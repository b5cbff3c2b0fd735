/* SPDX-License-Identifier: MIT */
/* The writer thread begins: at a moment, and with a place, that the first event chose. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "rt/record/process.h"
#include "rt/record/writer.h"

/* Only pages that are touched count; a program's thread-local data may be large. */
#define STACK_BYTES (256u << 10)

/*
 * The first event may be that of a thread which has a processor for its own, or
 * a realtime priority: the writer gets the main thread's processors and neither
 * of these.
 */
static void be_ordinary(pthread_attr_t *attr)
{
	/* What is not set, glibc may take from the caller. */
	const struct sched_param none = { .sched_priority = 0 };
	int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
	cpu_set_t cpus;

	if (policy == SCHED_FIFO || policy == SCHED_RR) {
		pthread_attr_setinheritsched(attr, PTHREAD_EXPLICIT_SCHED);
		pthread_attr_setschedpolicy(attr, SCHED_OTHER);
		pthread_attr_setschedparam(attr, &none);
	}
	if (sched_getaffinity(getpid(), sizeof(cpus), &cpus) == 0) {
		pthread_attr_setaffinity_np(attr, sizeof(cpus), &cpus);
	}
}

/* The thread's mask is the caller's: no signal of the program must ever come to it. */
static int create_thread(struct process *p, bool modest)
{
	pthread_attr_t attr;
	pthread_t thread;
	int error;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (modest) {
		pthread_attr_setstacksize(&attr, STACK_BYTES);
		be_ordinary(&attr);
	}
	error = pthread_create(&thread, &attr, waymark_writer_main, p);
	pthread_attr_destroy(&attr);
	return error;
}

void waymark_writer_start(void)
{
	struct process *p = waymark_process_current();
	uint32_t none = WRITER_NONE;
	sigset_t all, saved;

	if (!p || !__atomic_compare_exchange_n(&p->writer, &none, WRITER_STARTING, false,
			  __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		return;
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	if (create_thread(p, true) && create_thread(p, false)) {
		__atomic_store_n(&p->writer, WRITER_REFUSED, __ATOMIC_RELEASE);
		waymark_notice(p, "cannot start a thread: events are written at exit only");
	}
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
}
