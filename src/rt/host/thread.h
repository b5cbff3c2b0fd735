/* SPDX-License-Identifier: MIT */
/*
 * Threads of ours in the traced program: which processors and priority they have, and
 * which descriptors they see.
 */
#ifndef RT_HOST_THREAD_H
#define RT_HOST_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* A sanitizer reports on standard error, in any thread. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define KEEPS_STDERR true
#else
#define KEEPS_STDERR false
#endif

/*
 * Prepares the attributes of a thread to be created: the main thread's processors and ordinary
 * scheduling. Otherwise it would inherit those of the thread that creates it, which may be bound
 * to one processor or have a realtime priority.
 */
void waymark_thread_ordinary(pthread_attr_t *attr);

/*
 * Starts a detached thread that is scheduled as the main thread is by default. Returns 0 or
 * an errno. The thread's mask of signals is the caller's: no signal may come to it.
 */
int waymark_thread_start(void *(*main)(void *), void *argument);

/* Call first in the new thread: does what its C library has no attribute for. */
void waymark_thread_begin(void);

/*
 * Gives the calling thread a table of descriptors of its own, in which only `low` and `high` are
 * left; -1: none. The program's closefrom() cannot reach these, and the thread keeps nothing of
 * the program's open: a reader of a pipe sees its end. Returns 0, or -1 where the kernel refuses
 * that, and the table is as it was.
 */
int waymark_own_descriptors(int low, int high);

#endif
