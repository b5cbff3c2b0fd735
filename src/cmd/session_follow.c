/* SPDX-License-Identifier: MIT */
/*
 * Sessions that follow live traces. The signals that end them are blocked and polled between lines
 * of output, so that no line is cut. Only if a pipe is followed, a handler interrupts the system
 * call that waits for it.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

#include "cmd/session.h"

/* Poll interval while a trace does not exist. */
#define TRACE_WAIT_MS 50

/*
 * Time from the lifeline's end until following ends: an exiting process closes it before its trace
 * is complete.
 */
#define CUT_MS 1000

/* Time without events before a note appears on a terminal. */
#define QUIET_MS 500

/* A timer repeats the signal, as it interrupts no system call that begins just after it. */
#define AGAIN_US 20000

/* Set by the signal handler while a pipe is followed; never cleared. */
static volatile sig_atomic_t is_asked;

static void ask_for_the_end(int number)
{
	const struct itimerval again = { .it_value = { 0, AGAIN_US } };
	int why = errno;

	(void)number;
	is_asked = 1;
	setitimer(ITIMER_REAL, &again, NULL);
	errno = why;
}

static sigset_t ending_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGALRM);
	return set;
}

/* Waits at most `ms` for an ending signal; returns whether one arrived. */
static bool ends_within(unsigned int ms)
{
	const struct timespec time = { ms / 1000, (long)(ms % 1000) * 1000000 };
	const sigset_t set = ending_signals();

	return is_asked || sigtimedwait(&set, NULL, &time) > 0 || is_asked;
}

void session_follow(struct session *s, enum reader_follow follow)
{
	const sigset_t set = ending_signals();

	s->follow = follow;
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Lets the signals interrupt open() and read() if these may wait for a pipe. */
static void let_signals_interrupt(const struct session *s)
{
	const sigset_t set = ending_signals();
	struct sigaction act = { .sa_handler = ask_for_the_end };
	bool waits = false;
	struct stat st;

	for (size_t i = 0; i < s->trace_count; i++) {
		const char *trace = s->traces[i];

		waits |= strcmp(trace, "-") == 0 || (stat(trace, &st) == 0 && S_ISFIFO(st.st_mode));
	}
	for (int number = 1; waits && number < NSIG; number++) {
		if (sigismember(&set, number) == 1) {
			sigaction(number, &act, NULL);
		}
	}
	if (waits) {
		sigprocmask(SIG_UNBLOCK, &set, NULL);
	}
}

bool session_await_traces(struct session *s)
{
	bool said = false;

	for (size_t i = 0; s->follow && i < s->trace_count; i++) {
		const char *trace = s->traces[i];
		struct stat st;

		while (strcmp(trace, "-") != 0 && stat(trace, &st) != 0 && errno == ENOENT) {
			if (!said) {
				fprintf(stderr, "%s: %s: waiting until it exists\n", s->name,
					trace);
				said = true;
			}
			s->is_ended = ends_within(TRACE_WAIT_MS);
			if (s->is_ended) {
				return false;
			}
		}
	}
	if (s->follow) {
		let_signals_interrupt(s);
	}
	return true;
}

static bool is_cut(const struct session *s)
{
	struct pollfd p = { .fd = s->lifeline, .events = POLLRDHUP };

	return s->lifeline >= 0 && poll(&p, 1, 0) > 0 &&
	       p.revents & (POLLRDHUP | POLLERR | POLLHUP);
}

/* Notes on a terminal that the command waits, and for what number of events. */
static void note_wait(struct session *s, unsigned int ms)
{
	char text[80] = "waiting for events; Ctrl-C ends";

	s->quiet_ms += ms;
	if (s->quiet_ms < QUIET_MS) {
		return;
	}
	if (s->awaited && *s->awaited != UINT64_MAX) {
		snprintf(text, sizeof(text), "waiting for %" PRIu64 " event%s more; Ctrl-C ends",
			*s->awaited, *s->awaited == 1 ? "" : "s");
	}
	progress_note(&s->progress, s->name, text);
}

bool session_pause(struct session *s, unsigned int ms)
{
	note_wait(s, ms);
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

/* Lets the reader return its present records, and then end. */
static void end(struct session *s)
{
	s->is_ended = true;
	reader_stop(s->reader);
}

bool session_wait(struct session *s)
{
	struct pollfd output = { .fd = s->out_fd };
	bool something_came = s->out.len > 0;
	unsigned int ms = pace_next(&s->pace, something_came);

	s->quiet_ms = something_came ? 0 : s->quiet_ms;
	out_flush(&s->out);
	/* Without a write, only poll() reports that the output is a closed pipe. */
	if (!s->out.error && poll(&output, 1, 0) > 0 && output.revents & (POLLERR | POLLHUP)) {
		s->out.error = EPIPE;
	}
	if (s->out.error) {
		return false;
	}
	note_wait(s, ms);
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
	s->is_ended |= s->follow && ends_within(0);
	return s->is_ended;
}
