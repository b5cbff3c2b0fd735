/* SPDX-License-Identifier: MIT */
/*
 * syslog() to a /dev/log in a mount namespace of this process, whose messages a
 * thread receives and counts, as the fastest daemon would: see recorder.h.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness.h"
#include "recorder.h"

#define END_MESSAGE "recorder: the end"

static int server;
static pthread_t drain;

static void *drain_main(void *context)
{
	char message[512];
	ssize_t length;

	(void)context;
	do {
		length = recv(server, message, sizeof(message) - 1, 0);
		message[length > 0 ? length : 0] = '\0';
	} while (length > 0 && !strstr(message, END_MESSAGE));
	return NULL;
}

/* A /dev of our own: nothing is written to the machine's log. */
static void hide_dev(void)
{
	if (unshare(CLONE_NEWNS)) {
		bench_skip(
			"syslog: no mount namespace for a private /dev/log: %s", strerror(errno));
	}
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		mount("bench", "/dev", "tmpfs", 0, NULL)) {
		bench_skip("syslog: no private /dev: %s", strerror(errno));
	}
}

void recorder_open(const char *path, const char *options)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "/dev/log" };

	(void)path;
	(void)options;
	hide_dev();
	server = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (server < 0 || bind(server, (struct sockaddr *)&address, sizeof(address))) {
		bench_skip("syslog: /dev/log: %s", strerror(errno));
	}
	pthread_create(&drain, NULL, drain_main, NULL);
	openlog("bench", LOG_PID | LOG_NDELAY, LOG_USER);
}

void recorder_settle(void)
{
}

uint64_t recorder_close(void)
{
	syslog(LOG_DEBUG, END_MESSAGE);
	pthread_join(drain, NULL);
	close(server);
	return 0;
}
