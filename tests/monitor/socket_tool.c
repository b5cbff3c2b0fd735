/* SPDX-License-Identifier: MIT */
/*
 * Calls src/socket for sockets.py and sockets_users.py:
 *
 *	socket_tool [chroot DIR] COMMAND
 *
 *	directory		prints the default directory
 *	listen [PATH]		prints the path, and waits for SIGTERM; then removes it and ends
 *	serve [PATH]		the same, and sends each client whether it is of our user
 *	child [PATH]		the same as listen, with a child that tries to remove it first
 *	race PATH COUNT		COUNT processes listen at once; prints how many succeed
 *	connect PATH MS		prints what the server sends, or `connected`
 *	find PID		prints the path
 *	list			prints a line for each
 *
 * An error of the layer is printed to standard error, and the status is 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "socket/socket.h"

static char error[SOCKET_ERROR_SIZE];

static int failed(void)
{
	fprintf(stderr, "%s\n", error);
	return 1;
}

/* Waits 10 ms for SIGTERM; returns true if it has arrived. */
static bool ended(void)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	return sigtimedwait(&set, NULL, &pause) == SIGTERM;
}

static void block_term(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static void answer(int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0) {
		return;
	}
	const char *text = socket_peer_is_us(fd) ? "one of us" : "a stranger";

	send(fd, text, strlen(text), MSG_NOSIGNAL);
	close(fd);
}

static int wait_for_end(const char *path, bool serve, bool child)
{
	struct socket_file file;
	int fd;

	block_term();
	fd = socket_listen(path, &file, error, sizeof(error));
	if (fd < 0) {
		return failed();
	}
	if (child && fork() == 0) {
		_exit(socket_remove(&file) ? 1 : 0);
	}
	if (child) {
		wait(NULL);
	}
	printf("%s\n", file.path);
	fflush(stdout);
	while (!ended()) {
		if (serve) {
			answer(fd);
		}
	}
	if (socket_remove(&file)) {
		perror(file.path);
		return 1;
	}
	close(fd);
	return 0;
}

static int run_listen(char **argv)
{
	return wait_for_end(argv[0], false, false);
}

static int run_serve(char **argv)
{
	return wait_for_end(argv[0], true, false);
}

static int run_child(char **argv)
{
	return wait_for_end(argv[0], false, true);
}

static int run_directory(char **argv)
{
	char path[SOCKET_PATH_SIZE];

	(void)argv;
	if (socket_directory(path, sizeof(path))) {
		perror("directory");
		return 1;
	}
	puts(path);
	return 0;
}

/*
 * A racer: starts when the writing end of `go` is closed, reports its result, and stays until
 * killed.
 */
static NORETURN void race(const char *path, const int go[2], int told)
{
	char byte;

	close(go[1]);
	if (read(go[0], &byte, 1) != 0) {
		_exit(1);
	}
	byte = socket_listen(path, NULL, error, sizeof(error)) >= 0 ? '+' : '-';
	if (write(told, &byte, 1) != 1) {
		_exit(1);
	}
	for (;;) {
		pause();
	}
}

/* Starts the racers, and counts those that listen. */
static int count_winners(const int go[2], int told, int count)
{
	int winners = 0;

	close(go[1]);
	for (int i = 0; i < count; i++) {
		char byte = 0;

		winners += read(told, &byte, 1) == 1 && byte == '+';
	}
	return winners;
}

static int run_race(char **argv)
{
	pid_t racers[64];
	int count = atoi(argv[1]);
	int go[2];
	int told[2];

	if (count < 1 || (size_t)count > ARRAY_SIZE(racers) || pipe(go) || pipe(told)) {
		return 2;
	}
	for (int i = 0; i < count; i++) {
		racers[i] = fork();
		if (racers[i] == 0) {
			race(argv[0], go, told[1]);
		}
	}
	int winners = count_winners(go, told[0], count);
	int fd = socket_connect(argv[0], 0, error, sizeof(error));

	printf("%d %s\n", winners, fd >= 0 ? "connected" : error);
	for (int i = 0; i < count; i++) {
		kill(racers[i], SIGKILL);
		waitpid(racers[i], NULL, 0);
	}
	return 0;
}

static int run_connect(char **argv)
{
	int fd = socket_connect(argv[0], atoi(argv[1]), error, sizeof(error));
	char text[100];
	struct timeval patience = { .tv_usec = 100000 };

	if (fd < 0) {
		return failed();
	}
	if (fcntl(fd, F_GETFL) & O_NONBLOCK) {
		fprintf(stderr, "it does not block\n");
		return 1;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	ssize_t n = recv(fd, text, sizeof(text), 0);

	printf("%.*s\n", n > 0 ? (int)n : 9, n > 0 ? text : "connected");
	return 0;
}

static int run_find(char **argv)
{
	char path[SOCKET_PATH_SIZE];

	if (socket_find(atoi(argv[0]), path, sizeof(path))) {
		return 1;
	}
	puts(path);
	return 0;
}

static int print_socket(pid_t pid, const char *path, void *count)
{
	printf("%d %s\n", (int)pid, path);
	(*(int *)count)++;
	return 0;
}

static int run_list(char **argv)
{
	int count = 0;

	(void)argv;
	if (socket_walk(print_socket, &count, error, sizeof(error))) {
		return failed();
	}
	return 0;
}

static const struct command {
	const char *name;
	int least; /* number of required arguments */
	int (*run)(char **argv);
} commands[] = {
	{ "directory", 0, run_directory },
	{ "listen", 0, run_listen },
	{ "serve", 0, run_serve },
	{ "child", 0, run_child },
	{ "race", 2, run_race },
	{ "connect", 2, run_connect },
	{ "find", 1, run_find },
	{ "list", 0, run_list },
};

int main(int argc, char **argv)
{
	if (argc > 3 && strcmp(argv[1], "chroot") == 0) {
		if (chroot(argv[2]) || chdir("/")) {
			perror(argv[2]);
			return 2;
		}
		argc -= 2;
		argv += 2;
	}
	for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(commands); i++) {
		if (strcmp(commands[i].name, argv[1]) == 0 && argc - 2 >= commands[i].least) {
			return commands[i].run(argv + 2);
		}
	}
	return 2;
}
