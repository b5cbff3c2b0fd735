/* SPDX-License-Identifier: MIT */
/*
 * The log backend: one event, one line, one write.
 *
 *	<tid>@<sec>.<usec>:<name> <message>
 *
 * A line is made on the stack, without malloc: of 1 KiB, and where that does
 * not hold it, of 8 KiB, at which it is cut and ends in "...". A signal handler
 * with a small stack of its own therefore needs 4 KiB for short lines.
 */
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include <waymark/record.h>

#include "base/compiler.h"
#include "rt/host/line.h"
#include "rt/sink/log_file.h"
#include "rt/sink/log_prefix.h"

#define SHORT_LINE 1024
#define LONG_LINE 8192

/*
 * The thread id is asked for each time: a copy would be wrong in the child of a
 * raw clone that shares our memory, and the write costs ten times as much.
 */
static void take_stamp(struct log_stamp *s)
{
	s->tid = gettid();
	clock_gettime(CLOCK_REALTIME, &s->time);
}

/* An event, its message and the moment: what a line is made of. */
struct message {
	const struct waymark_event *event;
	struct log_stamp stamp;
	const char *fmt;
	va_list args;
};

static void print(struct line *l, struct message *m)
{
	va_list args;

	waymark_log_prefix_print(l, &m->stamp);
	waymark_line_printf(l, "%s", m->event->name);
	va_copy(args, m->args);
	waymark_line_vprintf(l, m->fmt, args);
	va_end(args);
	waymark_line_end(l);
}

static COLD void write_long(struct message *m)
{
	char text[LONG_LINE];
	struct line l;

	line_init(&l, text, sizeof(text));
	print(&l, m);
	waymark_log_write(l.data, l.len);
}

static void write_line(struct message *m)
{
	char text[SHORT_LINE];
	struct line l;

	line_init(&l, text, sizeof(text));
	print(&l, m);
	if (UNLIKELY(l.cut)) {
		write_long(m);
	} else {
		waymark_log_write(l.data, l.len);
	}
}

void waymark_log(const struct waymark_event *event, const char *fmt, ...)
{
	struct message m = { .event = event, .fmt = fmt };
	int saved = errno;

	if (!waymark_log_is_on()) {
		return;
	}
	take_stamp(&m.stamp);
	va_start(m.args, fmt);
	write_line(&m);
	va_end(m.args);
	errno = saved;
}
