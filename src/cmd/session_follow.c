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

/* A process closes its connections before its threads have ended: its trace says when. */
#define CUT_MS 1000

static sigset_t ending_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGALRM);
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

static bool is_cut(const struct session *s)
{
	struct pollfd p = { .fd = s->lifeline, .events = POLLRDHUP };

	return s->lifeline >= 0 && poll(&p, 1, 0) > 0 &&
	       p.revents & (POLLRDHUP | POLLERR | POLLHUP);
}

bool session_pause(struct session *s, unsigned int ms)
{
	s->is_ended |= ends_within(ms);
	return !s->is_ended && !is_cut(s);
}

bool session_goes_on(const struct session *s)
{
	for (unsigned int ms = 0; s->lifeline >= 0 && ms < CUT_MS && !is_cut(s);
		ms += TRACE_WAIT_MS) {
		ends_within(TRACE_WAIT_MS);
	}
	return s->lifeline >= 0 && !is_cut(s);
}

/* Shows once more what there is, and ends. */
static void end(struct session *s)
{
	s->is_ended = true;
	reader_stop(s->reader);
}

bool session_wait(struct session *s)
{
	bool something_came = s->out.len > 0;
	unsigned int ms = pace_next(&s->pace, something_came);

	out_flush(&s->out);
	if (!s->out.error && is_unread(s)) {
		s->out.error = EPIPE;
	}
	if (s->out.error) {
		return false;
	}
	if (ends_within(ms)) {
		end(s);
	}
	s->cut_ms = is_cut(s) ? s->cut_ms + ms : 0;
	if (s->cut_ms > CUT_MS) {
		s->is_cut = true;
		end(s);
	}
	return true;
}

bool session_is_interrupted(struct session *s)
{
	s->is_ended |= ends_within(0);
	return s->is_ended;
}
