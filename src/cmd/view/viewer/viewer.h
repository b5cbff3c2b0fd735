/* SPDX-License-Identifier: MIT */
/*
 * The traces that `waymark view` shows, and the pass over them that makes the levels:
 *
 *	viewer.c	the thread of the pass, and its end
 *	pass.c		the pass by several threads
 *	cache.c		the levels of former runs
 *
 * The lock guards the levels. Any thread may call.
 */
#ifndef CMD_VIEW_VIEWER_VIEWER_H
#define CMD_VIEW_VIEWER_VIEWER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

#include "cmd/session.h"
#include "timeline/estimate.h"
#include "timeline/levels.h"

/* The traces that are shown. */
struct viewer {
	struct session *session; /* the lock also guards its reader */
	pthread_mutex_t lock;
	sem_t readings; /* of parts, whose items take some 20 MB, at one time */
	struct levels levels;
	bool is_filtered; /* some records are not selected */
	bool meets_events; /* the traces do not declare them: readers meet them in any order */
	bool is_done; /* the levels have the whole trace */
	bool is_live; /* the pass goes on with what processes record */
	bool is_across; /* objects, and pairs by their keys, may be of several processes */
	bool is_stopped; /* atomic: the pass must end */
	uint64_t problems; /* that the pass has met */
	char problem[512]; /* the first one */
	bool is_joined; /* the thread has ended */
	struct estimate estimate; /* of what was not read yet */
	const char *cached; /* argument of viewer_begin() */
	pthread_t thread;
	/* Of the pass: */
	int64_t from_ns; /* the levels have all records before it; INT64_MIN: none, INT64_MAX: all
			  */
	uint64_t added; /* number of the others that they have */
	uint64_t known; /* number of these that will be read again */
	bool has_sections; /* the session's reader has read sections */
	struct reader
		*before; /* the session's reader before the present one; NULL: there is none */
	struct timeline_counters counters; /* of the command line; the page shows them at first */
	struct view_sched *sched; /* of a capture; NULL: none */
	struct view_lives *lives;
	struct view_curves *curves; /* that were asked for; NULL: none */
};

/*
 * Begins the pass in a thread of its own. `cached` is the text of the options that select records,
 * for the cache; NULL: without a cache. Returns false, reported, without a thread.
 */
bool viewer_begin(struct viewer *v, struct session *s, const char *cached);
void viewer_end(struct viewer *v);

/* Waits for the end of the pass. */
void viewer_wait(struct viewer *v);

static inline void viewer_lock(struct viewer *v)
{
	pthread_mutex_lock(&v->lock);
}

static inline void viewer_unlock(struct viewer *v)
{
	pthread_mutex_unlock(&v->lock);
}

static inline bool viewer_is_stopped(const struct viewer *v)
{
	return __atomic_load_n(&v->is_stopped, __ATOMIC_RELAXED);
}

/* Makes the levels with all processors; false if one thread must read what they lack. */
bool pass_shared(struct viewer *v);

/* Adds the selected ones of some records, unless the levels have them. Call under the lock. */
void pass_add(struct viewer *v, struct record *records, size_t count);

/* Returns the number of a class's name for the page, of any reader; 0: not yet known. */
uint32_t viewer_name(struct viewer *v, const struct event_class *class);

/* Returns the time of the first record that the pass has met. */
int64_t viewer_first_ns(struct viewer *v);

/* Returns the time `ns` after the first record; at most INT64_MAX. */
int64_t viewer_time(struct viewer *v, uint64_t ns);

/* Returns the ns between two times, which need all bits if the trace is damaged. */
static inline int64_t view_since(int64_t first_ns, int64_t ns)
{
	return (int64_t)((uint64_t)ns - (uint64_t)first_ns);
}

#endif
