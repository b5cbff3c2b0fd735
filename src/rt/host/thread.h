/* SPDX-License-Identifier: MIT */
/*
 * Threads of ours. Whoever starts one, by the first event or a client's command,
 * may have a processor for its own, or a realtime priority.
 */
#ifndef RT_HOST_THREAD_H
#define RT_HOST_THREAD_H

#include <pthread.h>

/* Gives a thread to be the main thread's processors, and neither of these; before it is created. */
void waymark_thread_ordinary(pthread_attr_t *attr);

/* The thread itself, first of all: what its C library could not do before. */
void waymark_thread_begin(void);

#endif
