/* SPDX-License-Identifier: MIT */
/*
 * The syslog backend: one event, one message,
 *
 *	<30>PROGRAM[PID]: <name> <message>
 *	<30>PROGRAM[PID]: [<name>] <message>	of a message with braces
 *
 * which is what syslog(LOG_DAEMON | LOG_INFO) of a program that logs its pid
 * arrives as. The time is the daemon's to add: it takes that of the host's clock
 * when the message comes, while a text in the program's time zone would need
 * localtime(), which takes a lock. The C library's syslog() takes one as well,
 * see docs/why/006-syslog.md.
 *
 * What the rate keeps back is counted, and told by a message once a second at
 * most, in front of the next event that may be sent, and at exit.
 */
#include <errno.h>
#include <stdarg.h>
#include <syslog.h>
#include <unistd.h>

#include <waymark/record.h>

#include "rt/host/message.h"
#include "rt/host/once.h"
#include "rt/host/reason.h"
#include "rt/sink/loss.h"
#include "rt/text/syslog.h"
#include "rt/text/text.h"

#define SECOND_NS UINT64_C(1000000000)

static uint64_t told_ns; /* relaxed: who tells of drops */
static struct once failure_told;

static void print_prefix(struct line *l, const void *context)
{
	(void)context;
	waymark_line_put(
		l, "<%d>%s[%d]: ", LOG_DAEMON | LOG_INFO, program_invocation_short_name, getpid());
}

static void count_lost(int reason)
{
	waymark_loss_add(LOSS_SYSLOG, 1);
	if (once(&failure_told)) {
		char spare[REASON_BYTES];

		waymark_message("syslog: cannot send to " SYSLOG_SOCKET ": %s; messages are lost",
			waymark_reason(reason, spare));
	}
}

/* The newline is no part of a message. */
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
	.max = 8000, /* rsyslogd cuts at 8096, and the mark of our cut with it */
};

static void count_withheld(void)
{
	waymark_loss_add(LOSS_SYSLOG_WITHHELD, 1);
	waymark_loss_add(LOSS_SYSLOG_UNTOLD, 1);
}

/* One message of what was kept back; what the daemon does not get is told by the next. */
__attribute__((destructor)) static void tell_withheld(void)
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
		(unsigned long long)count, (unsigned long long)waymark_syslog_rate());
	waymark_line_end(&l);
	if (waymark_syslog_send(l.data, l.len - 1)) {
		waymark_loss_add(LOSS_SYSLOG_UNTOLD, count);
	}
}

static void tell_withheld_in_time(void)
{
	if (!waymark_loss(LOSS_SYSLOG_UNTOLD)) {
		return;
	}
	int saved = errno;
	uint64_t now = waymark_clock_ns();
	uint64_t before = __atomic_load_n(&told_ns, __ATOMIC_RELAXED);

	if (now - before >= SECOND_NS && __atomic_compare_exchange_n(&told_ns, &before, now, false,
						 __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		tell_withheld();
	}
	errno = saved;
}

/* False: the rate keeps the message back. */
static bool may_send(void)
{
	if (!waymark_syslog_take()) {
		count_withheld();
		return false;
	}
	tell_withheld_in_time();
	return true;
}

void waymark_syslog(const struct waymark_event *event, const char *fmt, ...)
{
	va_list args;

	if (!may_send()) {
		return;
	}
	va_start(args, fmt);
	waymark_text_write(&style, NULL, event, fmt, args);
	va_end(args);
}

void waymark_syslog_message(const struct waymark_event *event, const struct waymark_message *m)
{
	if (may_send()) {
		waymark_text_write_message(&style, NULL, event, m);
	}
}
