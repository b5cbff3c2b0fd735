/* SPDX-License-Identifier: MIT */
/*
 * The long questions that are being answered, each in the thread of its connection. A thread of its
 * own sees when a client goes away, which is also how the page stops a question, and tells the
 * answering thread by a flag. Any thread may call.
 */
#ifndef CMD_VIEW_ANSWER_RUNNING_H
#define CMD_VIEW_ANSWER_RUNNING_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* As many as there are connections. */
#define RUNNING_MAX 64

/* A question that is being answered. */
struct running_question {
	int fd; /* of its connection */
	volatile sig_atomic_t is_over; /* the answer is not wanted any more */
};

/* Set by the watching thread, read by the answering one. */
static inline bool running_is_over(const volatile sig_atomic_t *is_over)
{
	return __atomic_load_n(is_over, __ATOMIC_RELAXED);
}

struct running {
	pthread_mutex_t lock;
	pthread_t thread;
	int wake; /* an eventfd: the list has changed */
	bool is_ended;
	struct running_question *all[RUNNING_MAX];
	size_t count;
};

/* Begins the thread. Returns 0, or an errno. */
int running_init(struct running *r);

/* Stops all questions, also those that begin later. */
void running_stop(struct running *r);

/* Ends the thread. Call without questions. */
void running_fini(struct running *r);

/* Adds a question, with its `fd`, and removes it before its connection is closed. */
void running_begin(struct running *r, struct running_question *q);
void running_end(struct running *r, struct running_question *q);

/* Returns the number of questions. */
size_t running_count(struct running *r);

#endif
