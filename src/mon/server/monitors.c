/* SPDX-License-Identifier: MIT */
/*
 * All monitors of the process. A fork waits for every monitor's lock, so that the child gets them
 * in a consistent state, but at most half a second, as a command may take long. The child leaves
 * alone what it cannot take over then. The exit of the process waits likewise.
 *
 * A monitor with threads has two. One has its own table of descriptors, talks to the clients and
 * drives the monitor; the other one runs commands (worker.h).
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "mon/server/client.h"
#include "mon/server/monitors.h"
#include "mon/server/server.h"
#include "mon/server/worker.h"
#include "mon/session/session.h"
#include "rt/host/thread.h"
#include "rt/host/open.h"
#include "socket/socket.h"

#define FORK_TIMEOUT_MS 500
#define EXIT_TIMEOUT_MS 1000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Accessed under the lock. */
static struct waymark_monitor *monitors;
static pid_t process; /* process of the list */
static bool ending;

static unsigned int waiting; /* relaxed: threads that fork; see monitors_yield_to_forks() */

/*
 * `locked` is set while this thread forks with the list's lock; `whole` if it also holds every
 * monitor's lock, as ending one session may need state that another one is changing.
 */
static __thread bool locked __attribute__((tls_model("initial-exec")));
static __thread bool whole __attribute__((tls_model("initial-exec")));

/* ---- Opening ---- */

/* Makes the monitor's thread check `finished`, by a connection that gets no answer. */
static void end_yielding(struct waymark_monitor *m)
{
	pthread_mutex_lock(&m->lock);
	m->finished = true;
	if (m->file.process) {
		waymark_close(socket_connect(m->file.path, 0, NULL, 0));
		socket_remove(&m->file);
		m->file.process = 0;
	}
	pthread_mutex_unlock(&m->lock);
}

int monitors_open(struct waymark_monitor *m, struct waymark_error *error)
{
	if (server_open(m, error)) {
		return -1;
	}
	if (m->wants_address) {
		return 0;
	}
	if (m->address.kind == ADDRESS_DEFAULT && !m->options.yields) {
		pthread_mutex_lock(&lock);
		for (struct waymark_monitor *it = monitors; it && !ending; it = it->next) {
			if (it->options.yields && !it->finished) {
				end_yielding(it);
			}
		}
		pthread_mutex_unlock(&lock);
	}
	return address_open(m, error);
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

/*
 * Lets forking threads take the lock first. A mutex goes to the first thread that asks, which is
 * mostly the one that has just unlocked it; clients that send without a pause would keep all others
 * from it.
 */
void monitors_yield_to_forks(void)
{
	if (__atomic_load_n(&waiting, __ATOMIC_RELAXED)) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
}

/* ---- Threads ---- */

/* Opens the monitor in the thread's own table of descriptors. */
static int open_all(struct waymark_monitor *m, struct waymark_error *error)
{
	bool stdio = m->address.kind == ADDRESS_STDIO;
	int low = stdio ? STDIN_FILENO : m->address.fd;
	int high = stdio ? STDOUT_FILENO : -1;

	prctl(PR_SET_NAME, "wm-monitor");
	if (waymark_own_descriptors(low, high)) {
		return mon_fail(error,
			"a monitor's thread cannot have its own descriptors: %s; "
			"drive it by waymark_monitor_dispatch()",
			strerrordesc_np(errno));
	}
	if (monitors_open(m, error)) {
		server_close(m);
		return -1;
	}
	/* Keeps text written to a standard stream by mistake from reaching a client. */
	waymark_close(low);
	waymark_close(high);
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		if (!KEEPS_STDERR || fd != STDERR_FILENO) {
			io_move(io_ready(), fd);
		}
	}
	return 0;
}

/* Handles the next events; returns false after the last ones. */
static bool work_once(struct waymark_monitor *m)
{
	struct epoll_event events[SERVER_EVENTS];
	int count = io_epoll_wait(m->epoll, events, SERVER_EVENTS, -1);

	if (count < 0 && errno != EINTR) {
		return false;
	}
	monitors_yield_to_forks();
	pthread_mutex_lock(&m->lock);
	if (!m->finished) {
		server_work(m, events, count > 0 ? count : 0);
	}
	bool goes_on = !server_has_ended(m);

	pthread_mutex_unlock(&m->lock);
	return goes_on;
}

/* Runs the monitor to its end. If the exit of the process has finished it, leaves it as it is. */
static void drive(struct waymark_monitor *m)
{
	while (work_once(m)) {
	}
	if (monitors_remove(m)) {
		server_close(m);
		worker_destroy(m->worker);
		server_destroy(m);
	}
}

/* Shared by the thread that starts a monitor and the new one. */
struct start {
	struct waymark_monitor *m;
	struct waymark_error *error;
	sem_t opened;
	int result;
};

static void *begin(void *arg)
{
	struct start *start = arg;
	struct waymark_monitor *m = start->m;
	bool is_open = open_all(m, start->error) == 0;

	if (is_open) {
		start->result = 0;
		monitors_add(m);
	}
	sem_post(&start->opened); /* `start` no longer exists after this */
	if (is_open) {
		drive(m);
	}
	return NULL;
}

/* Returns 0, an errno, or -1 if the thread has set the error. */
static int start_thread(struct waymark_monitor *m, struct waymark_error *error)
{
	struct start start = { .m = m, .error = error, .result = -1 };
	pthread_t thread;
	int why;

	sem_init(&start.opened, 0, 0);
	why = worker_thread(&thread, begin, &start);
	if (why) {
		return why;
	}
	while (sem_wait(&start.opened)) {
	}
	if (start.result) {
		pthread_join(thread, NULL);
	} else {
		pthread_detach(thread);
	}
	return start.result;
}

int monitors_start(struct waymark_monitor *m, struct waymark_error *error)
{
	m->own_table = true;
	m->worker = worker_create();
	int why = m->worker ? start_thread(m, error) : errno;

	if (why) {
		worker_destroy(m->worker);
		m->worker = NULL;
	}
	if (why > 0) {
		mon_fail(error, "cannot start a thread of the monitor: %s", strerrordesc_np(why));
	}
	return why ? -1 : 0;
}

static void *begin_in_child(void *arg)
{
	struct waymark_monitor *m = arg;

	if (open_all(m, NULL) == 0) {
		drive(m);
	}
	return NULL;
}

/* Returns 0, or -1. */
static int start_in_child(struct waymark_monitor *m)
{
	pthread_t thread;

	m->worker = worker_create();
	if (!m->worker || worker_thread(&thread, begin_in_child, m)) {
		return -1;
	}
	pthread_detach(thread);
	return 0;
}

/* ---- Fork ---- */

static void before_fork(void)
{
	struct timespec deadline = deadline_after(FORK_TIMEOUT_MS);

	__atomic_fetch_add(&waiting, 1, __ATOMIC_RELAXED);
	whole = locked = deadline_lock(&lock, &deadline);
	for (struct waymark_monitor *m = locked ? monitors : NULL; m; m = m->next) {
		m->held = deadline_lock(&m->lock, &deadline);
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
			pthread_mutex_unlock(&m->lock);
		}
	}
	locked = false;
	pthread_mutex_unlock(&lock);
}

/*
 * Restarts a monitor in the child, without the parent's threads. Returns false if nothing is left.
 */
static bool revive(struct waymark_monitor *m)
{
	if (whole) {
		free(m->worker);
	}
	m->worker = NULL;
	bool lives = server_forked(m, whole);

	if (!m->own_table || (lives && start_in_child(m) == 0)) {
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

/* ---- The exit of the process ---- */

static void end_sessions(void *of)
{
	struct waymark_monitor *m = of;

	for (struct client *c = m->clients; c; c = c->next) {
		session_destroy(c->session);
		c->session = NULL;
	}
}

/*
 * Runs in a worker that may be left running: the exiting thread may be in a signal handler that
 * interrupted any code.
 */
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

/* Runs before the runtime's own end, as the sessions depend on the runtime. */
static void end(void)
{
	struct timespec deadline = deadline_after(EXIT_TIMEOUT_MS);

	if (process != getpid() || !deadline_lock(&lock, &deadline)) {
		return; /* a child of vfork, which has its parent's memory */
	}
	ending = true;
	for (struct waymark_monitor *m = monitors; m; m = m->next) {
		if (deadline_lock(&m->lock, &deadline)) {
			finish(m, &deadline);
			pthread_mutex_unlock(&m->lock);
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

/*
 * Registers later than the runtime, whatever the order of the libraries, so that before_fork() runs
 * first.
 */
static void watch_process(void)
{
	pthread_atfork(before_fork, in_parent, in_child);
	at_quick_exit(end);
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
