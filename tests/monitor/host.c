/* SPDX-License-Identifier: MIT */
/*
 * A program with monitors, controlled by its driver: host FD LIBRARY. FD is a socket to the
 * driver, LIBRARY a libwaymark-monitor, or "-" for the statically linked one.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <waymark/monitor.h>

#include "host.h"

int steer;

static void *library;

static struct {
	struct waymark_monitor *(*open)(
		const struct waymark_monitor_options *, struct waymark_error *);
	int (*get_fd)(const struct waymark_monitor *);
	int (*dispatch)(struct waymark_monitor *);
	void (*close)(struct waymark_monitor *);
	int (*start)(const struct waymark_monitor_options *, struct waymark_error *);
} api;

/* The monitor that this program drives itself, in a thread. */
static struct waymark_monitor *monitor;
static pthread_t driver;
static sem_t driving;
static int wake = -1;
static int rounds; /* relaxed: number of dispatches */
static int ended; /* relaxed */

void say(const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(line, sizeof(line) - 1, fmt, ap);

	va_end(ap);
	line[n] = '\n';
	if (write(steer, line, (size_t)n + 1) < 0) {
		_exit(3);
	}
}

#ifdef HOST_STATIC
static void load(const char *path)
{
	(void)path;
	api.open = waymark_monitor_open;
	api.get_fd = waymark_monitor_get_fd;
	api.dispatch = waymark_monitor_dispatch;
	api.close = waymark_monitor_close;
	api.start = waymark_monitor_start;
}
#else
static void *find(const char *name)
{
	void *function = dlsym(library, name);

	if (!function) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
	return function;
}

static void load(const char *path)
{
	library = dlopen(path, RTLD_NOW);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
	*(void **)&api.open = find("waymark_monitor_open");
	*(void **)&api.get_fd = find("waymark_monitor_get_fd");
	*(void **)&api.dispatch = find("waymark_monitor_dispatch");
	*(void **)&api.close = find("waymark_monitor_close");
	*(void **)&api.start = find("waymark_monitor_start");
}
#endif

static void unload(const char *rest)
{
	(void)rest;
	say("%s", library && dlclose(library) == 0 ? "ok" : "failed");
}

/* Returns options for WHERE, in the mode for lines. */
static struct waymark_monitor_options options_of(const char *where)
{
	return (struct waymark_monitor_options){
		.where = where, .mode = WAYMARK_MONITOR_HMP, .prompt = ""
	};
}

static void start(const char *where)
{
	struct waymark_monitor_options options = options_of(where);
	struct waymark_error error;

	say("%s", api.start(&options, &error) ? error.text : "ok");
}

/*
 * Starts the monitor in a thread bound to one processor, with a realtime priority if that is
 * allowed.
 */
static void *start_specially(void *where)
{
	struct sched_param param = { .sched_priority = 1 };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus);
	pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
	start(where);
	return NULL;
}

static void start_in_special_thread(const char *where)
{
	pthread_t thread;

	pthread_create(&thread, NULL, start_specially, (void *)where);
	pthread_join(thread, NULL);
}

static void *drive(void *arg)
{
	struct pollfd fds[] = {
		{ .fd = api.get_fd(monitor), .events = POLLIN },
		{ .fd = wake, .events = POLLIN },
	};

	(void)arg;
	sem_post(&driving);
	while (!fds[1].revents) {
		if (poll(fds, 2, -1) > 0 && fds[0].revents) {
			__atomic_fetch_add(&rounds, 1, __ATOMIC_RELAXED);
			if (api.dispatch(monitor)) {
				__atomic_store_n(&ended, 1, __ATOMIC_RELAXED);
				return NULL;
			}
		}
	}
	return NULL;
}

/*
 * Waits until the thread has started, because a fork may otherwise find locks of a sanitizer
 * taken.
 */
static void start_driver(void)
{
	sem_init(&driving, 0, 0);
	pthread_create(&driver, NULL, drive, NULL);
	while (sem_wait(&driving)) {
	}
}

static void open_driven(const char *where)
{
	struct waymark_monitor_options options = options_of(where);
	struct waymark_error error;

	monitor = api.open(&options, &error);
	if (!monitor) {
		say("%s", error.text);
		return;
	}
	wake = eventfd(0, EFD_CLOEXEC);
	start_driver();
	say("ok");
}

/* In a fork's child, where the thread does not exist. */
static void drive_again(const char *rest)
{
	(void)rest;
	close(wake); /* shared with the parent */
	wake = eventfd(0, EFD_CLOEXEC);
	start_driver();
	say("ok");
}

static void dispatch(const char *rest)
{
	(void)rest;
	say("%d", api.dispatch(monitor));
}

static void stop_driver(void)
{
	eventfd_write(wake, 1);
	pthread_join(driver, NULL);
	close(wake);
}

static void close_driven(const char *rest)
{
	(void)rest;
	stop_driver();
	api.close(monitor);
	api.close(NULL);
	monitor = NULL;
	say("ok");
}

/* Called when the monitor's descriptors are closed, which may or may not wake the thread. */
static void close_ended(const char *rest)
{
	(void)rest;
	pthread_cancel(driver);
	pthread_join(driver, NULL);
	api.close(monitor);
	monitor = NULL;
	say("ok");
}

/* Opens and closes repeatedly. */
static void reopen(const char *rest)
{
	char where[200] = "on";
	int times = 0;

	sscanf(rest, "%d %199[^\n]", &times, where);
	struct waymark_monitor_options options = options_of(where);

	for (int i = 0; i < times; i++) {
		struct waymark_monitor *m = api.open(&options, NULL);

		if (!m || api.dispatch(m)) {
			say("failed");
			return;
		}
		api.close(m);
	}
	say("ok");
}

static void say_ended(const char *rest)
{
	(void)rest;
	say("%d", __atomic_load_n(&ended, __ATOMIC_RELAXED));
}

static void say_rounds(const char *rest)
{
	(void)rest;
	say("%d", __atomic_load_n(&rounds, __ATOMIC_RELAXED));
}

/* Cancels a thread while it dispatches; another thread continues. */
static void cancel(const char *times)
{
	for (int i = atoi(times); i > 0; i--) {
		usleep(1000);
		pthread_cancel(driver);
		pthread_join(driver, NULL);
		start_driver();
	}
	say("ok");
}

/* The peer of a socket must see its end when this process closes it. */
static int pair[2];

static void make_pair(const char *rest)
{
	(void)rest;
	say("%s", socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ? "failed" : "ok");
}

static void hang_up(const char *rest)
{
	struct pollfd p = { .fd = pair[1], .events = POLLIN };

	(void)rest;
	close(pair[0]);
	say("%s", poll(&p, 1, 2000) == 1 && (p.revents & POLLHUP) ? "end" : "open");
}

/* The program's event loop: an epoll descriptor, and the eventfd in it. */
static int own_epoll, own_event;

static void make_epoll(const char *rest)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = 42 };

	(void)rest;
	own_epoll = epoll_create1(0);
	own_event = eventfd(1, 0);
	say("%s", epoll_ctl(own_epoll, EPOLL_CTL_ADD, own_event, &event) ? "failed" : "ok");
}

static bool is_ready(void)
{
	struct epoll_event event = { 0 };

	return epoll_wait(own_epoll, &event, 1, 0) == 1 && event.data.u64 == 42;
}

static void say_ready(const char *rest)
{
	(void)rest;
	say("%s", is_ready() ? "ok" : "failed");
}

/* Reports readiness, also in a fork's child. */
static void say_child_ready(const char *rest)
{
	int status = -1;
	pid_t child = fork();

	(void)rest;
	if (child == 0) {
		_exit(is_ready() && fcntl(own_event, F_GETFD) >= 0 && fcntl(pair[0], F_GETFD) >= 0
				? 0
				: 1);
	}
	waitpid(child, &status, 0);
	say("%s", status == 0 ? "ok" : "failed");
}

static const struct command commands[] = {
	{ "epoll", make_epoll },
	{ "ready", say_ready },
	{ "childready", say_child_ready },
	{ "start", start },
	{ "specialstart", start_in_special_thread },
	{ "open", open_driven },
	{ "drive", drive_again },
	{ "dispatch", dispatch },
	{ "close", close_driven },
	{ "closeended", close_ended },
	{ "reopen", reopen },
	{ "ended", say_ended },
	{ "rounds", say_rounds },
	{ "cancel", cancel },
	{ "pair", make_pair },
	{ "hangup", hang_up },
	{ "dlclose", unload },
	{ 0 },
};

static int run(const struct command *table, const char *line)
{
	for (; table->name; table++) {
		size_t n = strlen(table->name);

		if (strncmp(line, table->name, n) == 0 && (!line[n] || line[n] == ' ')) {
			table->run(line[n] ? line + n + 1 : "");
			return 1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	char line[1024];
	size_t size = 0;

	if (argc != 3) {
		return 2;
	}
	steer = atoi(argv[1]);
	load(argv[2]);
	setenv("HOST_LIBRARY", argv[2], 1);
	while (read(steer, line + size, 1) == 1) {
		if (line[size] != '\n') {
			size += size < sizeof(line) - 1;
			continue;
		}
		line[size] = '\0';
		size = 0;
		if (!run(commands, line) && !run(process_commands, line)) {
			say("no command: %s", line);
		}
	}
	return 0;
}
