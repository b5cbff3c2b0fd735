/* SPDX-License-Identifier: MIT */
/* The pass over the traces that makes the levels, in a thread of its own, and its end. */
#include "cmd/view/viewer/cache.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* Answers come first: the pass may wait. */
#define PASS_NICE 5

/* More at one time would only wait for the disk and the processors. */
#define READINGS_MAX 2

/* Wait for more records of a process. */
#define LIVE_PAUSE_NS 50000000

static void note(struct viewer *v, const struct read_error *error)
{
	if (!v->meets_events) {
		viewer_lock(v);
	}
	if (v->problems++ == 0) {
		snprintf(v->problem, sizeof(v->problem), "%s", error->text);
	}
	if (!v->meets_events) {
		viewer_unlock(v);
	}
}

/* Reads the next records; none: at the end, or until a process has recorded more. */
static size_t next_few(struct viewer *v, struct record *records, enum read_result *result)
{
	struct reader *r = v->session->reader;
	size_t count;

	do {
		count = reader_few(r, records, SESSION_FEW, result);
		if (*result == READ_PROBLEM || *result == READ_DAMAGED) {
			note(v, &r->error);
		}
	} while (*result == READ_PROBLEM);
	return count;
}

/* Reads some records into the levels. */
static enum read_result read_few(struct viewer *v)
{
	struct record records[SESSION_FEW];
	enum read_result result;
	size_t count;

	/* A reader that meets new events adds them to those that answers read. */
	if (v->meets_events) {
		viewer_lock(v);
	}
	count = next_few(v, records, &result);
	if (!v->meets_events) {
		viewer_lock(v);
	}
	pass_add(v, records, count);
	viewer_unlock(v);
	return result;
}

static bool goes_on(struct viewer *v, enum read_result result)
{
	const struct timespec pause = { .tv_nsec = LIVE_PAUSE_NS };

	if (result == READ_NOTHING) {
		nanosleep(&pause, NULL);
	}
	return (result == READ_RECORD || result == READ_NOTHING) && !viewer_is_stopped(v);
}

/* Opens the traces again, unless nothing was read of them; false if they cannot be read. */
static bool begin_anew(struct viewer *v)
{
	if (!v->has_sections) {
		return true;
	}
	viewer_lock(v);
	v->before = session_read_again(v->session);
	v->levels.timeline.reader = v->session->reader;
	viewer_unlock(v);
	return v->before;
}

/* Reads the whole trace with one thread, but for what the levels have already. */
static void pass_alone(struct viewer *v)
{
	struct read_error error;

	if (!begin_anew(v)) {
		read_error_set(&error, "the traces cannot be read again");
		note(v, &error);
		return;
	}
	v->known = v->added;
	while (goes_on(v, read_few(v))) {
	}
}

static void read_levels(struct viewer *v)
{
	if (!pass_shared(v)) {
		pass_alone(v);
	}
	viewer_lock(v);
	levels_end(&v->levels);
	estimate_fini(&v->estimate);
	v->is_done = true;
	viewer_unlock(v);
}

static void *make_levels(void *viewer)
{
	struct viewer *v = viewer;
	struct cache c;

	setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + PASS_NICE);
	cache_init(&c, v);
	if (cache_load(&c)) {
		viewer_lock(v);
		v->is_done = true;
		viewer_unlock(v);
	} else {
		read_levels(v);
		cache_save(&c);
	}
	cache_fini(&c);
	return NULL;
}

bool viewer_begin(struct viewer *v, struct session *s, const char *cached)
{
	sigset_t all;
	sigset_t before;

	*v = (struct viewer){
		.session = s,
		.cached = cached,
		.is_filtered = !filter_is_empty(&s->filter),
		.is_live = s->follow != FOLLOW_NOT,
		.meets_events = s->follow != FOLLOW_NOT || !reader_declares_all(s->reader),
		.from_ns = INT64_MIN,
	};
	pthread_mutex_init(&v->lock, NULL);
	sem_init(&v->readings, 0, READINGS_MAX);
	levels_init(&v->levels, s->reader);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int failed = pthread_create(&v->thread, NULL, make_levels, v);

	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed) {
		session_say(s, "cannot start a thread: %s", strerror(failed));
		levels_fini(&v->levels);
	}
	return !failed;
}

void viewer_wait(struct viewer *v)
{
	if (!v->is_joined) {
		pthread_join(v->thread, NULL);
		v->is_joined = true;
	}
}

void viewer_end(struct viewer *v)
{
	__atomic_store_n(&v->is_stopped, true, __ATOMIC_RELAXED);
	viewer_wait(v);
	levels_fini(&v->levels);
	reader_close(v->before);
	pthread_mutex_destroy(&v->lock);
	sem_destroy(&v->readings);
}

int64_t viewer_first_ns(struct viewer *v)
{
	viewer_lock(v);
	int64_t ns = v->levels.first_ns;

	viewer_unlock(v);
	return ns;
}

int64_t viewer_time(struct viewer *v, uint64_t ns)
{
	int64_t time;

	return __builtin_add_overflow(viewer_first_ns(v), ns, &time) ? INT64_MAX : time;
}

uint32_t viewer_name(struct viewer *v, const struct event_class *class)
{
	viewer_lock(v);
	const struct event_class *known = classes_like(&v->session->reader->classes, class);

	viewer_unlock(v);
	return known ? (uint32_t)known->index + 1 : 0;
}
