/* SPDX-License-Identifier: MIT */
/*
 * Sessions that follow traces whose programs run. The signals that end them are
 * blocked and taken at moments that suit, so nothing that was printed is cut.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cmd/session.h"

/* How often is looked whether a trace exists. */
#define TRACE_WAIT_MS 50

static sigset_t ending_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	return set;
}

/* Waits for one of them, so long at most. */
static bool ends_within(unsigned int ms)
{
	const struct timespec time = { ms / 1000, (long)(ms % 1000) * 1000000 };
	const sigset_t set = ending_signals();

	return sigtimedwait(&set, NULL, &time) > 0;
}

void session_follow(struct session *s, enum reader_follow follow)
{
	const sigset_t set = ending_signals();

	s->follow = follow;
	sigprocmask(SIG_BLOCK, &set, NULL);
}

bool session_await_traces(struct session *s)
{
	bool said = false;

	for (size_t i = 0; s->follow && i < s->trace_count; i++) {
		struct stat st;

		while (strcmp(s->traces[i], "-") != 0 && stat(s->traces[i], &st) != 0 &&
			errno == ENOENT) {
			if (!said) {
				fprintf(stderr, "%s: %s: waits until it exists\n", s->name,
					s->traces[i]);
				said = true;
			}
			s->is_ended = ends_within(TRACE_WAIT_MS);
			if (s->is_ended) {
				return false;
			}
		}
	}
	return true;
}

/* Whether nobody reads the output any more: a program that says nothing does not find out. */
static bool is_unread(const struct session *s)
{
	struct pollfd p = { .fd = s->out_fd };

	return poll(&p, 1, 0) > 0 && p.revents & (POLLERR | POLLHUP);
}

bool session_wait(struct session *s)
{
	bool something_came = s->out.len > 0;

	out_flush(&s->out);
	if (!s->out.error && is_unread(s)) {
		s->out.error = EPIPE;
	}
	if (s->out.error) {
		return false;
	}
	if (ends_within(pace_next(&s->pace, something_came))) {
		s->is_ended = s->reader->stop = true;
	}
	return true;
}

bool session_is_interrupted(struct session *s)
{
	s->is_ended |= ends_within(0);
	return s->is_ended;
}
