/* SPDX-License-Identifier: MIT */
/*
 * Programs that change their directory, root or user, and then start a thread whose
 * stream has no file yet; coroutines that move between threads.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <waymark/control.h>

#include "trace-survive.h"
#include "victim.h"

static void *live_thereafter(void *events)
{
	live_for(1, (uintptr_t)events);
	return NULL;
}

static int move(const char *how, const char *where)
{
	if (strcmp(how, "chdir") == 0) {
		return chdir(where);
	}
	if (strcmp(how, "chroot") == 0) {
		return chroot(where) || chdir("/");
	}
	if (strcmp(how, "user") == 0) {
		return setgid((gid_t)atoi(where)) || setuid((uid_t)atoi(where));
	}
	return mkdir(where, 0700) || chdir(where) || rmdir("../gone"); /* "gone": `where`, too */
}

/* move HOW WHERE BEFORE BEHIND: BEFORE events, the move, then twice BEHIND events */
static void run_move(char **argv)
{
	uintptr_t events = strtoul(argv[3], NULL, 10);
	pthread_t t;

	live_for(0, strtoull(argv[2], NULL, 10));
	if (move(argv[0], argv[1])) {
		perror(argv[0]);
		_exit(5);
	}
	live_for(0, events);
	pthread_create(&t, NULL, live_thereafter, (void *)events);
	pthread_join(t, NULL);
	exit(0);
}

/*
 * name HOW WHERE EVENTS TRACE [FILE]: EVENTS before the move, and EVENTS in TRACE after it;
 * ends by a kill. FILE is made before the move.
 */
static void run_name(char **argv)
{
	uint64_t events = strtoull(argv[2], NULL, 10);
	struct waymark_error error;

	live_for(0, events);
	while (argv[4] && mknod(argv[4], S_IFREG | 0644, 0)) {
		if (errno != EEXIST) { /* the writer has it for a moment */
			_exit(5);
		}
	}
	if (move(argv[0], argv[1]) || waymark_set_output("ctf", argv[3], &error)) {
		_exit(5);
	}
	live_for(0, events);
	kill(getpid(), SIGKILL);
}

/* refuse EVENTS TRACE: EVENTS before and after naming TRACE, which cannot be made, and a child's */
static void run_refuse(char **argv)
{
	uint64_t events = strtoull(argv[0], NULL, 10);
	struct waymark_error error;

	live_for(0, events);
	if (waymark_set_output("ctf", argv[1], &error) == 0) {
		_exit(5);
	}
	puts(error.text);
	fflush(stdout);
	live_for(0, events);
	pid_t child = fork();

	if (child == 0) {
		live_for(1, events);
		exit(0);
	}
	waitpid(child, NULL, 0);
	exit(0);
}

/* crowded EVENTS: EVENTS events while the program has no descriptor left */
static void run_crowded(char **argv)
{
	const struct rlimit few = { 64, 64 };

	setrlimit(RLIMIT_NOFILE, &few);
	while (dup(STDERR_FILENO) >= 0) {
	}
	live_for(0, strtoull(argv[0], NULL, 10));
	usleep(300000); /* in this time the writer tries */
	exit(0);
}

/*
 * go EVENTS: EVENTS events; after a line on standard input as many again, and as many of a thread
 */
static void run_go(char **argv)
{
	uintptr_t events = strtoul(argv[0], NULL, 10);
	char line[8];
	pthread_t t;

	live_for(0, events);
	puts("recorded");
	fflush(stdout);
	if (fgets(line, sizeof(line), stdin)) {
		live_for(0, events);
		pthread_create(&t, NULL, live_thereafter, (void *)events);
		pthread_join(t, NULL);
	}
	exit(0);
}

/* Takes all memory of the file system. */
static void fill(const char *filler)
{
	static const char page[4096];
	int fd = open(filler, O_CREAT | O_WRONLY, 0600);

	while (write(fd, page, sizeof(page)) == (ssize_t)sizeof(page)) {
	}
	close(fd);
}

static void record_long(uint32_t thread, uint64_t step)
{
	static char text[12289];

	memset(text, 'x', sizeof(text) - 1);
	trace_live_text(thread, step, text);
}

static void *live_long(void *unused)
{
	live_by(2, record_long);
	return unused;
}

static pthread_barrier_t turn;

/* An event before and after the first packet of the main thread. */
static void *live_quietly(void *unused)
{
	live(1);
	pthread_barrier_wait(&turn);
	pthread_barrier_wait(&turn);
	live(1);
	pthread_barrier_wait(&turn);
	pthread_barrier_wait(&turn);
	return unused;
}

/*
 * full EVENTS FILLER [long]: at most 4000 events, then EVENTS, and two of a quiet thread, whose
 * packet is freed after larger ones; when FILLER has taken all memory, a new thread's event of 12
 * KiB
 */
static void run_full(char **argv)
{
	uint64_t events = strtoull(argv[0], NULL, 10);
	pthread_t quiet, last;

	pthread_barrier_init(&turn, NULL, 2);
	pthread_create(&quiet, NULL, live_quietly, NULL);
	pthread_barrier_wait(&turn);
	live_for(0, events < 4000 ? events : 4000);
	pthread_barrier_wait(&turn);
	pthread_barrier_wait(&turn);
	live_for(0, events);
	waymark_flush(NULL);
	fill(argv[1]);
	if (argv[2]) {
		pthread_create(&last, NULL, live_long, NULL);
		pthread_join(last, NULL);
	}
	pthread_barrier_wait(&turn);
	pthread_join(quiet, NULL);
	exit(0);
}

#define COROUTINES 16u
#define WORKERS 3u

static struct coroutine {
	ucontext_t context;
	ucontext_t *worker; /* context of the thread that runs it now */
	uint64_t left;
	int done;
	char stack[65536] __attribute__((aligned(64)));
} coroutines[COROUTINES];

static struct {
	pthread_mutex_t lock;
	unsigned int ready[COROUTINES];
	unsigned int first, count, done;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void live_and_yield(int number)
{
	struct coroutine *c = &coroutines[number];

	while (c->left--) {
		live((unsigned int)number);
		live((unsigned int)number);
		swapcontext(&c->context, c->worker);
		live((unsigned int)number); /* on another thread */
	}
	c->done = 1;
	setcontext(c->worker);
}

static int take(void)
{
	pthread_mutex_lock(&queue.lock);
	int number = queue.count ? (int)queue.ready[queue.first] : -1;

	if (number >= 0) {
		queue.first = (queue.first + 1) % COROUTINES;
		queue.count--;
	} else if (queue.done == COROUTINES) {
		number = -2;
	}
	pthread_mutex_unlock(&queue.lock);
	return number;
}

static void put(unsigned int number, int is_done)
{
	pthread_mutex_lock(&queue.lock);
	if (is_done) {
		queue.done++;
	} else {
		queue.ready[(queue.first + queue.count++) % COROUTINES] = number;
	}
	pthread_mutex_unlock(&queue.lock);
}

static void *work(void *unused)
{
	ucontext_t own;
	int number;

	while ((number = take()) != -2) {
		if (number >= 0) {
			struct coroutine *c = &coroutines[number];

			c->worker = &own;
			swapcontext(&own, &c->context);
			put((unsigned int)number, c->done);
		}
	}
	return unused;
}

/* coroutines ROUNDS: any thread may run any coroutine */
static void run_coroutines(char **argv)
{
	pthread_t workers[WORKERS];

	for (unsigned int i = 0; i < COROUTINES; i++) {
		struct coroutine *c = &coroutines[i];

		c->left = strtoull(argv[0], NULL, 10);
		getcontext(&c->context);
		c->context.uc_stack.ss_sp = c->stack;
		c->context.uc_stack.ss_size = sizeof(c->stack);
		makecontext(&c->context, (void (*)(void))live_and_yield, 1, (int)i);
		put(i, 0);
	}
	for (unsigned int i = 0; i < WORKERS; i++) {
		pthread_create(&workers[i], NULL, work, NULL);
	}
	for (unsigned int i = 0; i < WORKERS; i++) {
		pthread_join(workers[i], NULL);
	}
	exit(0);
}

const struct mode modes_place[] = {
	{ "move", run_move },
	{ "name", run_name },
	{ "refuse", run_refuse },
	{ "crowded", run_crowded },
	{ "go", run_go },
	{ "full", run_full },
	{ "coroutines", run_coroutines },
	{ NULL, NULL },
};
