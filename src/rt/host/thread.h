/* SPDX-License-Identifier: MIT */
/* Our threads in the traced program: their processors, priority and descriptors. */
#ifndef RT_HOST_THREAD_H
#define RT_HOST_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Sanitizers report on standard error in any thread, so it stays open. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define KEEPS_STDERR true
#else
#define KEEPS_STDERR false
#endif

/*
 * Prepares the attributes of a thread to be created: the main thread's processors and ordinary
 * scheduling. Otherwise it would inherit them from the thread that creates it, which may be bound
 * to one processor or have a realtime priority.
 */
void waymark_thread_ordinary(pthread_attr_t *attr);

/*
 * Starts a detached thread, scheduled as the main thread is by default. Returns 0 or an errno. The
 * thread inherits the caller's signal mask, so block all signals before the call.
 */
int waymark_thread_start(void *(*main)(void *), void *argument);

/* Call first in the new thread: sets what the C library has no thread attribute for. */
void waymark_thread_begin(void);

/*
 * Gives the calling thread its own table of descriptors, in which only `low` and `high` are left;
 * -1 stands for no descriptor. The program's closefrom() cannot close these, and the thread keeps
 * no descriptor of the program open, so that a reader of the program's pipe sees its end. Returns
 * 0, or -1 if the kernel refuses, which leaves the table as it was.
 */
int waymark_own_descriptors(int low, int high);

#endif
