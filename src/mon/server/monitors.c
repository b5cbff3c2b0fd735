/* SPDX-License-Identifier: MIT */
/*
 * See monitors.h. A fork waits for the turn of every monitor, so that its child
 * finds them whole, and for half a second at most: a command may take its time.
 * What the child then cannot take over it leaves alone. Likewise the end of the
 * process: whoever is busy then stays so.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "mon/server/client.h"
#include "mon/server/monitors.h"
#include "mon/server/patience.h"
#include "mon/server/server.h"
#include "mon/session/session.h"
#include "mon/server/thread.h"
#include "mon/server/worker.h"
#include "rt/host/open.h"
#include "socket/socket.h"

#define FORK_PATIENCE_MS 500
#define EXIT_PATIENCE_MS 1000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Under the lock. */
static struct waymark_monitor *monitors;
static pid_t process; /* whose they are */
static bool ending;

static unsigned int waiting; /* relaxed: threads that fork; see monitors_let_pass() */

/*
 * Whether this thread, which forks, has got the lock, and every turn: what one
 * conversation is in the middle of may be needed by the end of another one.
 */
static __thread bool locked __attribute__((tls_model("initial-exec")));
static __thread bool whole __attribute__((tls_model("initial-exec")));

static void before_fork(void)
{
	struct timespec deadline = patience_ms(FORK_PATIENCE_MS);

	__atomic_fetch_add(&waiting, 1, __ATOMIC_RELAXED);
	whole = locked = patience_lock(&lock, &deadline);
	for (struct waymark_monitor *m = locked ? monitors : NULL; m; m = m->next) {
		m->held = patience_lock(&m->turn, &deadline);
		whole &= m->held;
	}
}

static void in_parent(void)
{
	__atomic_fetch_sub(&waiting, 1, __ATOMIC_RELAXED);
	if (!locked) {
		return;
	}
	for (struct waymark_monitor *m = monitors; m; m = m->next) {
		if (m->held) {
			pthread_mutex_unlock(&m->turn);
		}
	}
	locked = false;
	pthread_mutex_unlock(&lock);
}

/* Begins anew, without the threads. False: nothing is left for the child. */
static bool revive(struct waymark_monitor *m)
{
	if (whole) {
		free(m->worker);
	}
	m->worker = NULL;
	bool lives = server_forked(m, whole);

	if (!m->own_table || (lives && thread_start_again(m) == 0)) {
		return true;
	}
	server_destroy(m);
	return false;
}

static void in_child(void)
{
	struct waymark_monitor **at = &monitors;

	pthread_mutex_init(&lock, NULL);
	process = getpid();
	__atomic_store_n(&waiting, 0, __ATOMIC_RELAXED);
	if (!locked) {
		monitors = NULL;
	}
	locked = false;
	while (*at) {
		struct waymark_monitor *m = *at;

		struct waymark_monitor *next = m->next;

		if (revive(m)) {
			at = &m->next;
		} else {
			*at = next;
		}
	}
}

static void end_sessions(void *of)
{
	struct waymark_monitor *m = of;

	for (struct client *c = m->clients; c; c = c->next) {
		session_destroy(c->session);
		c->session = NULL;
	}
}

/* By a thread that may be left behind: this one may be in a handler that interrupted anything. */
static void finish(struct waymark_monitor *m, const struct timespec *deadline)
{
	m->finished = true;
	if (!m->clients) {
		return;
	}
	struct worker *w = m->worker ? m->worker : worker_create();

	if (w) {
		worker_run_until(w, end_sessions, m, deadline);
	}
}

/* Before the runtime's own end: the monitor depends on it. */
static void end(void)
{
	struct timespec deadline = patience_ms(EXIT_PATIENCE_MS);

	if (process != getpid() || !patience_lock(&lock, &deadline)) {
		return; /* a child of vfork, which has its parent's memory */
	}
	ending = true;
	for (struct waymark_monitor *m = monitors; m; m = m->next) {
		if (patience_lock(&m->turn, &deadline)) {
			finish(m, &deadline);
			pthread_mutex_unlock(&m->turn);
		}
		if (m->file.process) {
			socket_remove(&m->file);
		}
	}
	pthread_mutex_unlock(&lock);
}

__attribute__((destructor)) static void at_end(void)
{
	end();
}

/* Later than the runtime does so, whatever the order of the libraries: before a fork ours comes
 * first. */
static void watch_process(void)
{
	pthread_atfork(before_fork, in_parent, in_child);
	at_quick_exit(end);
}

/* A mutex is had by who asks first, which is who has just given it back: clients that talk without
 * a pause would let nobody else have the turn. */
void monitors_let_pass(void)
{
	if (__atomic_load_n(&waiting, __ATOMIC_RELAXED)) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
}

/* Its thread finds out when the connection, which nobody answers any more, wakes it. */
static void end_yielding(struct waymark_monitor *m)
{
	pthread_mutex_lock(&m->turn);
	m->finished = true;
	if (m->file.process) {
		waymark_close(socket_connect(m->file.path, 0, NULL, 0));
		socket_remove(&m->file);
		m->file.process = 0;
	}
	pthread_mutex_unlock(&m->turn);
}

void monitors_end_yielding(void)
{
	pthread_mutex_lock(&lock);
	for (struct waymark_monitor *m = monitors; m && !ending; m = m->next) {
		if (m->options.yields && !m->finished) {
			end_yielding(m);
		}
	}
	pthread_mutex_unlock(&lock);
}

void monitors_add(struct waymark_monitor *m)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_process);
	pthread_mutex_lock(&lock);
	process = getpid();
	m->next = monitors;
	monitors = m;
	pthread_mutex_unlock(&lock);
}

bool monitors_remove(struct waymark_monitor *m)
{
	pthread_mutex_lock(&lock);
	struct waymark_monitor **at = &monitors;

	while (*at && *at != m) {
		at = &(*at)->next;
	}
	bool found = *at && !ending;

	if (found) {
		*at = m->next;
	}
	pthread_mutex_unlock(&lock);
	return found;
}
