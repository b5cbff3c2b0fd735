/* SPDX-License-Identifier: MIT */
/*
 * Waits for time, keys and signals. The signals that end `waymark top` are blocked and read from a
 * descriptor, so that the terminal is always restored by the same code.
 */
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>

#include "cmd/top/top.h"

int top_catch_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

enum top_event top_pause(int signals, int keys, unsigned int ms)
{
	struct pollfd p[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = keys, .events = POLLIN },
	};
	/* A resized terminal interrupts the wait, and is a key of ncurses. */
	bool is_interrupted = poll(p, 2, (int)ms) < 0;

	if (p[0].revents || p[1].revents & (POLLERR | POLLHUP | POLLNVAL)) {
		return TOP_END;
	}
	return is_interrupted || p[1].revents ? TOP_KEY : TOP_TIME;
}
