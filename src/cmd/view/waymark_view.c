/* SPDX-License-Identifier: MIT */
/*
 * `waymark view`: shows traces as a timeline in the browser. This file has the command line; it
 * waits for a signal, or until the page was not used for an hour.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/selection.h"
#include "cmd/view/view.h"
#include "cmd/waymark.h"

#define IDLE_SECONDS 3600
#define POLL_MS 1000
#define TOKEN_BYTES 16

enum { KEY_PORT = ARGUMENT_LONG, KEY_LISTEN, KEY_NO_OPEN, KEY_STAY };

static const struct argument rows[] = {
	{ 'e', "declarations", "FILE", "read the events' declarations, for old traces" },
	{ KEY_PORT, "port", "NUMBER", "serve on this port; without it on any free one" },
	{ KEY_LISTEN, "listen", "unix:PATH", "serve on a socket, for ssh -L PORT:PATH" },
	{ KEY_NO_OPEN, "no-open", NULL, "print the address, do not open the browser" },
	{ KEY_STAY, "stay", NULL, "do not end when the page was not used for an hour" },
	SELECTION_ROWS,
	{ 0 },
};

static const struct command command = {
	.name = VIEW_NAME,
	.usage = "[OPTION...] TRACE...",
	.about =
		"Shows traces of any size as a timeline in the browser: threads with their scopes and\n"
		"events, lanes of asynchronous scopes, and where events were lost. It serves only this\n"
		"user, on 127.0.0.1, until Ctrl-C or until the page was not used for an hour. Over ssh,\n"
		"forward a port or socket and open the address that it prints.",
	.arguments = rows,
};

struct options {
	struct view_place place;
	bool without_browser;
	bool stays;
};

static int take(struct session *s, struct options *o, int key)
{
	uint64_t port;

	switch (key) {
	case 'e':
		return session_declare(s, optarg) ? 0 : ARGUMENTS_BAD;
	case KEY_PORT:
		if (!arguments_number(optarg, UINT16_MAX, &port)) {
			return arguments_bad(&command, "'%s' is not a port", optarg);
		}
		o->place.port = (uint16_t)port;
		return 0;
	case KEY_LISTEN:
		if (strncmp(optarg, "unix:", 5) != 0 || !optarg[5]) {
			return arguments_bad(
				&command, "--listen takes unix:PATH, not '%s'", optarg);
		}
		o->place.socket = optarg + 5;
		return 0;
	case KEY_NO_OPEN:
		o->without_browser = true;
		return 0;
	case KEY_STAY:
		o->stays = true;
		return 0;
	default:
		return selection_has(key) ? selection_take(s, &command, key) : key;
	}
}

static int parse(struct session *s, struct options *o, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		int failed = take(s, o, key);

		if (failed) {
			return failed;
		}
	}
	if (o->place.port && o->place.socket) {
		return arguments_bad(&command, "--port and --listen are two places");
	}
	for (int i = optind; i < argc; i++) {
		if (strcmp(argv[i], "-") == 0) {
			return arguments_bad(&command,
				"standard input cannot be shown: parts of a trace are read again");
		}
	}
	return argc > optind ? 0 : arguments_bad(&command, "the trace is missing");
}

/* Makes a token that nobody can guess, in hexadecimal digits. */
static bool make_token(char text[2 * TOKEN_BYTES + 1])
{
	unsigned char bytes[TOKEN_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
		return false;
	}
	for (size_t i = 0; i < sizeof(bytes); i++) {
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	}
	return true;
}

/* Opens the address in the user's browser, if there is one. */
static void open_browser(char *address)
{
	char program[] = "xdg-open";
	char *const arguments[] = { program, address, NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid;

	if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) {
		return;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	if (posix_spawnp(&pid, program, &actions, NULL, arguments, environ) == 0) {
		waitpid(pid, NULL, 0);
	}
	posix_spawn_file_actions_destroy(&actions);
}

/* Waits for a signal, or until the page was not used for long. */
static void wait_for_end(const struct view_server *server, const struct options *o, int signals)
{
	struct pollfd p = { .fd = signals, .events = POLLIN };

	while (poll(&p, 1, POLL_MS) <= 0) {
		if (!o->stays && view_idle(server) > IDLE_SECONDS) {
			return;
		}
	}
}

static bool serve(struct session *s, const struct options *o, int signals)
{
	char token[2 * TOKEN_BYTES + 1];
	char address[128];
	struct viewer v;

	if (!make_token(token)) {
		session_say(s, "no random bytes: %s", strerror(errno));
		return false;
	}
	if (!viewer_begin(&v, s)) {
		return false;
	}
	struct view_server *server = view_serve(&v, &o->place, token);

	if (server) {
		if (o->place.socket) {
			printf("forward it: ssh -L 8080:%s HOST\n", view_socket(server));
		}
		snprintf(address, sizeof(address), "http://127.0.0.1:%u/?token=%s",
			o->place.socket ? 8080 : view_port(server), token);
		printf("%s\n", address);
		fflush(stdout);
		if (!o->without_browser && !o->place.socket) {
			open_browser(address);
		}
		wait_for_end(server, o, signals);
		view_stop(server);
	}
	viewer_end(&v);
	return server;
}

int waymark_view(int argc, char **argv)
{
	struct options options = { 0 };
	struct session s;
	sigset_t ends;

	session_init(&s, command.name);
	int failed = parse(&s, &options, argc, argv);

	if (failed) {
		session_end(&s);
		return failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	int signals = signalfd(-1, &ends, SFD_CLOEXEC);

	if (session_open_several(&s, argv + optind, NULL) && !serve(&s, &options, signals)) {
		s.unreadable = true;
	}
	close(signals);
	return session_end(&s);
}
