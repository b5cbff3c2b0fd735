/* SPDX-License-Identifier: MIT */
/*
 * `waymark view`: a server that answers a page in a browser. Calls lead downwards:
 *
 *	waymark_view.c	the command line, the threads, the end
 *	server.c	connections and who may ask
 *	save.c		the page with its data as a file; picture.c: as PNG
 *	answers.c	the table of questions; an answer each in answer_*.c, mostly as JSON
 *	running.c	long questions whose client went away
 *	strangers.c	connections that have not shown the token
 *	part.c		the records of a selected time
 *	viewer.c	the traces: the pass that makes the levels; pass.c by several threads
 *	cache.c		the levels of former runs
 *	page/		what the browser runs
 *
 * Some threads make the levels, one for each connection answers, one watches for clients that go
 * away. The lock guards the levels.
 */
#ifndef CMD_VIEW_VIEW_H
#define CMD_VIEW_VIEW_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "cmd/session.h"
#include "text/out.h"
#include "timeline/estimate.h"
#include "timeline/levels.h"

#define VIEW_NAME "waymark view"

/* The traces that are shown. */
struct viewer {
	struct session *session; /* the lock also guards its reader */
	pthread_mutex_t lock;
	struct levels levels;
	bool is_filtered; /* some records are not selected */
	bool meets_events; /* the traces do not declare them: readers meet them in any order */
	bool is_done; /* the levels have the whole trace */
	bool is_live; /* the pass goes on with what processes record */
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
	struct view_sched *sched; /* of --kernel; NULL: none */
	struct view_lives *lives;
	struct view_curves *curves; /* that were asked for; NULL: none */
};

/*
 * Begins the pass in a thread of its own. `cached` is the text of the options that select records,
 * for the cache; NULL: without a cache. Returns false, reported, without a thread.
 */
bool viewer_begin(struct viewer *v, struct session *s, const char *cached);
void viewer_end(struct viewer *v);

/* End the passes of curves and lives. Call after view_stop(). */
void view_curves_end(struct viewer *v);
void view_lives_end(struct viewer *v);

/* Begins to read a capture of the kernel's trace; false, reported, if it cannot be opened. */
bool view_sched_begin(struct viewer *v, const char *path, int64_t offset_ns);
void view_sched_end(struct viewer *v);

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

/* Returns the time that is so many ns after the first record; at most INT64_MAX. */
int64_t viewer_time(struct viewer *v, uint64_t ns);

/* Returns the ns between two times, which need all bits if the trace is damaged. */
static inline int64_t view_since(int64_t first_ns, int64_t ns)
{
	return (int64_t)((uint64_t)ns - (uint64_t)first_ns);
}

/* ---- answers.c ---- */

/* A question: its arguments, and whether the answer is still wanted. */
struct question {
	const char *(*get)(void *data, const char *name); /* NULL: it is missing */
	void *data;
	volatile sig_atomic_t *is_over; /* set when the client goes; outlives the answer */
};

/* The only question that changes something, so that GET is not enough. */
#define VIEW_SWITCH "/api/switch"

/* An answer that is written while it is sent. */
struct view_stream {
	/* Adds bytes; false at the end. */
	bool (*more)(struct view_stream *s, struct out *out);
	void (*close)(struct view_stream *s);
};

struct view_reply {
	struct out out; /* the caller initializes and frees it */
	struct view_stream
		*stream; /* writes what follows `out`; NULL: nothing. The caller closes it */
	const char *type; /* of the content */
	const char *policy; /* what a browser lets it do; NULL: what the page may do */
	const char *file; /* name to save it as; NULL: it is not saved */
};

/* True if the answer to a question may take longer than a moment. */
bool view_is_long(const char *path);

/*
 * Answers a question. Returns an HTTP status: 200; 400, with an error as JSON, if an argument is
 * wrong; 404 if there is no such question; 503 if it was stopped.
 */
unsigned int view_answer(
	struct viewer *v, const char *path, const struct question *q, struct view_reply *reply);

/* ---- server.c ---- */

/* A file of the page. */
struct view_file {
	const char *path; /* "/" is the page itself */
	const char *type;
	const char *const *lines; /* the last one is NULL */
};

extern const struct view_file view_files[]; /* ends with a NULL path */

struct view_place {
	uint16_t port; /* 0: any */
	const char *socket; /* a path instead of the port; NULL: none */
};

/* What nobody can guess: 128 random bits in hexadecimal digits. */
#define VIEW_SECRET_DIGITS 32

/* Makes a secret, with its NUL; false, with errno, without random bytes. */
bool view_make_secret(char secret[VIEW_SECRET_DIGITS + 1]);

struct view_server;

/*
 * Begins to serve. The token is what a user must show. Returns NULL, reported, if the place is
 * taken or may not be used.
 */
struct view_server *view_serve(struct viewer *v, const struct view_place *place, const char *token);

/* Return the port, 0 for a socket, and the path of the socket. */
uint16_t view_port(const struct view_server *s);
const char *view_socket(const struct view_server *s);

/* Returns the seconds since the last question; 0 while one is being answered. */
uint64_t view_idle(struct view_server *s);
void view_stop(struct view_server *s);

#endif
