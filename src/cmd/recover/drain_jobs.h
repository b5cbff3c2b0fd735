/* SPDX-License-Identifier: MIT */
/* What `waymark drain` is at: the buffers that its command line means. */
#ifndef CMD_RECOVER_DRAIN_JOBS_H
#define CMD_RECOVER_DRAIN_JOBS_H

#include <pthread.h>
#include <stdbool.h>

#include "base/vec.h"
#include "recover/drain.h"

/* A buffer, and what was said of it. */
struct drain_job {
	char *path; /* of the buffer */
	struct drain drain;
	bool is_open;
	bool is_over; /* done, or not to be had */
	bool is_released; /* its trace is whole; by another name it may be another process's */
	bool complained;
	uint64_t failing_ns; /* since when, of one that is dead; 0: it is not */
};

/*
 * `jobs`, and what is open of each, is changed by the main thread, under the lock: the thread
 * that beats takes it to look at them.
 */
struct drain_run {
	pthread_mutex_t lock;
	char **words;
	bool once;
	const char *place;
	VEC(struct drain_job *) jobs;
	bool found; /* any that was meant */
	bool is_hidden; /* one may not be read, and may be meant */
	bool has_released; /* a buffer, which is another process's soon, by another name */
	int status;
};

/* One line on standard error. */
void drain_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Adds the buffers that are meant and not known yet. */
void drain_find(struct drain_run *r);

/* Whether all that is meant are processes that are no more, and of which nothing is left. */
bool drain_is_in_vain(const struct drain_run *r);

/* Says why none was found. */
void drain_explain_nothing(const struct drain_run *r);

#endif
