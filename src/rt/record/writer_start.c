/* SPDX-License-Identifier: MIT */
/* The writer thread begins: at a moment, and with a place, that the first event chose. */
#include <pthread.h>
#include <signal.h>

#include "rt/host/thread.h"
#include "rt/record/process.h"
#include "rt/record/writer.h"

/* Only pages that are touched count; a program's thread-local data may be large. */
#define STACK_BYTES (256u << 10)

static int create_thread(void *(*main)(void *), void *argument, bool modest)
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

int waymark_recorder_thread(void *(*main)(void *), void *argument)
{
	return create_thread(main, argument, true) ? create_thread(main, argument, false) : 0;
}

static void start(struct process *p)
{
	if (waymark_recorder_thread(waymark_writer_main, p)) {
		__atomic_store_n(&p->writer, WRITER_REFUSED, __ATOMIC_RELEASE);
		waymark_notice(p, "cannot start a thread: events are written at exit only");
	}
}

void waymark_writer_start(void)
{
	struct process *p = waymark_process_current();
	uint32_t none = WRITER_NONE;
	sigset_t all, saved;

	if (!p || __atomic_load_n(&p->writer, __ATOMIC_RELAXED) != WRITER_NONE) {
		return;
	}
	/* Before others wait for the thread: a handler here that did would wait for its own. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	if (__atomic_compare_exchange_n(&p->writer, &none, WRITER_STARTING, false, __ATOMIC_ACQ_REL,
		    __ATOMIC_RELAXED)) {
		start(p);
	}
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
}
