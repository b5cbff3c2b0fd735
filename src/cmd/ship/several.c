/* SPDX-License-Identifier: MIT */
/*
 * Several destinations: a child process for each. The children are forked before there are threads,
 * and end with their parent.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "cmd/escaped.h"
#include "cmd/serve.h"
#include "cmd/ship/run.h"

#define NAME "waymark ship"

/* Starts a child. Returns its pid; -1: there is none. */
static pid_t start(struct ship_command *c, size_t destination)
{
	pid_t parent = getpid();
	pid_t pid = fork();
	sigset_t none;

	if (pid != 0) {
		return pid;
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL); /* until it catches them, signals end it */
	c->report.destination = c->destinations[destination].name;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) {
		_exit(EXIT_FAILURE);
	}
	exit(destination_run(c, destination));
}

static void end_all(const pid_t *children, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (children[i] > 0) {
			kill(children[i], SIGTERM);
		}
	}
}

/* Returns the status of a child that has ended. To be ended by a signal that asks is no failure. */
static int status_of(const struct ship_destination *d, int how)
{
	if (WIFEXITED(how)) {
		return WEXITSTATUS(how);
	}
	if (WTERMSIG(how) == SIGTERM || WTERMSIG(how) == SIGINT) {
		return EXIT_SUCCESS;
	}
	escaped_say(NAME, "%s: its process was killed by signal %d", d->name, WTERMSIG(how));
	return EXIT_FAILURE;
}

/* Takes the status of children that have ended. Returns how many ended. */
static size_t reap(struct ship_command *c, pid_t *children, int *status)
{
	size_t ended = 0;
	int how;
	pid_t pid;

	while ((pid = waitpid(-1, &how, WNOHANG)) > 0) {
		size_t i = 0;

		while (i < c->destination_count && children[i] != pid) {
			i++;
		}
		if (i == c->destination_count) {
			continue;
		}
		int one = status_of(&c->destinations[i], how);

		*status = one > *status ? one : *status;
		children[i] = 0;
		ended++;
	}
	return ended;
}

/* Waits until all children have ended; passes signals on. */
static int wait_for_all(struct ship_command *c, pid_t *children, size_t running, int signals)
{
	struct signalfd_siginfo signal;
	int status = EXIT_SUCCESS;

	while (running > 0 && read(signals, &signal, sizeof(signal)) == sizeof(signal)) {
		size_t ended = signal.ssi_signo == SIGCHLD ? reap(c, children, &status) : 0;

		running -= ended;
		if (signal.ssi_signo != SIGCHLD || (ended > 0 && !c->ship.options.is_once)) {
			end_all(children, c->destination_count);
		}
	}
	return status;
}

int destinations_run(struct ship_command *c)
{
	pid_t *children = xcalloc(c->destination_count, sizeof(*children));
	int signals = serve_catch_signals(SIGCHLD);
	size_t running = 0;
	int status = EXIT_SUCCESS;

	while (running < c->destination_count && (children[running] = start(c, running)) > 0) {
		running++;
	}
	if (running < c->destination_count) {
		escaped_say(NAME, "%s: %s", c->destinations[running].name, strerror(errno));
	}
	if (running < c->destination_count || !destinations_answer(c)) {
		end_all(children, running);
		status = EXIT_FAILURE;
	}
	int ended = wait_for_all(c, children, running, signals);

	destinations_end_answer(c);
	close(signals);
	free(children);
	return ended > status ? ended : status;
}
