/* SPDX-License-Identifier: MIT */
/*
 * The syslog backend: one event, one message,
 *
 *	<30>PROGRAM[PID]: <name> <message>
 *	<30>PROGRAM[PID]: [<name>] <message>	of a message with braces
 *
 * as syslog(LOG_DAEMON | LOG_INFO) sends it for a program that logs its pid. The daemon adds the
 * time when the message arrives, because a time in the program's time zone would need localtime(),
 * which takes a lock, as the C library's syslog() does (see docs/why/006-syslog.md).
 *
 * Messages that the rate withholds are counted. A message reports their number at most once a
 * second, before the next event that may be sent, and at exit.
 */
#include <errno.h>
#include <stdarg.h>
#include <syslog.h>
#include <unistd.h>

#include <waymark/record.h>

#include "rt/host/error.h"
#include "rt/host/message.h"
#include "rt/text/backends.h"
#include "rt/text/loss.h"
#include "rt/text/syslog.h"
#include "rt/text/text.h"

#define SECOND_NS UINT64_C(1000000000)

static uint64_t reported_ns; /* relaxed: one thread a second reports the withheld messages */
static struct once failure_reported;

/*
 * The rate limit is a bucket that holds the messages of one second, without a lock: `full_ns` is
 * the time when it will be full again. Each message moves that time on by its share of a second,
 * and is refused if the time would then be more than a second away. Both are relaxed, because they
 * order no other memory.
 */
static uint64_t rate_set;
static uint64_t full_ns;

void waymark_syslog_set_rate(uint64_t rate)
{
	__atomic_store_n(&rate_set, rate, __ATOMIC_RELAXED);
}

/* Takes one message from the bucket; returns false if the rate allows none now. */
static bool take_from_rate(void)
{
	uint64_t rate = __atomic_load_n(&rate_set, __ATOMIC_RELAXED);

	if (!rate) {
		return true;
	}
	uint64_t each = SECOND_NS / rate;
	uint64_t now = waymark_clock_ns();
	uint64_t full = __atomic_load_n(&full_ns, __ATOMIC_RELAXED);
	uint64_t then;

	do {
		then = (full > now ? full : now) + each;
		if (then - now > SECOND_NS) {
			return false;
		}
	} while (!__atomic_compare_exchange_n(
		&full_ns, &full, then, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return true;
}

static void print_prefix(struct line *l, const void *context)
{
	(void)context;
	waymark_line_put(
		l, "<%d>%s[%d]: ", LOG_DAEMON | LOG_INFO, program_invocation_short_name, getpid());
}

static void count_lost(int reason)
{
	waymark_loss_add(LOSS_SYSLOG, 1);
	if (once(&failure_reported)) {
		char spare[REASON_BYTES];

		waymark_message("syslog: cannot send to " SYSLOG_SOCKET ": %s; messages are lost",
			waymark_reason(reason, spare));
	}
}

/* Sends the message without its newline. */
static void write_line(const char *text, size_t len, const void *context)
{
	int error = waymark_syslog_send(text, len - 1);

	(void)context;
	if (error) {
		count_lost(error);
	}
}

static const struct text_style style = {
	.print_prefix = print_prefix,
	.write = write_line,
	.max = 8000, /* rsyslogd cuts at 8096, which would remove the mark of our cut */
};

/*
 * Sends one message about all withheld ones; if the daemon does not take it, a later message
 * reports them.
 */
__attribute__((destructor)) static void report_withheld(void)
{
	uint64_t count = waymark_loss_take(LOSS_SYSLOG_UNTOLD);
	char text[512];
	struct line l;

	if (!count) {
		return;
	}
	line_init(&l, text, sizeof(text));
	print_prefix(&l, NULL);
	waymark_line_put(&l, "waymark: %llu messages were withheld: syslog.rate=%llu",
		(unsigned long long)count,
		(unsigned long long)__atomic_load_n(&rate_set, __ATOMIC_RELAXED));
	waymark_line_end(&l);
	if (waymark_syslog_send(l.data, l.len - 1)) {
		waymark_loss_add(LOSS_SYSLOG_UNTOLD, count);
	}
}

static void report_withheld_in_time(void)
{
	if (!waymark_loss(LOSS_SYSLOG_UNTOLD)) {
		return;
	}
	int saved = errno;
	uint64_t now = waymark_clock_ns();
	uint64_t before = __atomic_load_n(&reported_ns, __ATOMIC_RELAXED);

	if (now - before >= SECOND_NS && __atomic_compare_exchange_n(&reported_ns, &before, now,
						 false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		report_withheld();
	}
	errno = saved;
}

/* Returns false if the rate withholds the message. */
static bool may_send(void)
{
	if (!take_from_rate()) {
		waymark_loss_add(LOSS_SYSLOG_WITHHELD, 1);
		waymark_loss_add(LOSS_SYSLOG_UNTOLD, 1);
		return false;
	}
	report_withheld_in_time();
	return true;
}

static void print_event(const struct waymark_event *event, const char *fmt, va_list args)
{
	if (may_send()) {
		waymark_text_write(&style, NULL, event, fmt, args);
	}
}

void waymark_syslog_message(const struct waymark_event *event, const struct waymark_message *m)
{
	if (may_send()) {
		waymark_text_write_message(&style, NULL, event, m);
	}
}

const struct text_backend waymark_text_syslog = {
	.print = print_event,
	.open = waymark_syslog_prepare,
	.descriptor = waymark_syslog_descriptor,
	.lost = "messages could not be sent",
};
